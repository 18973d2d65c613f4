import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OutlivingJail } from '../../../bridge-server/contract.ts';
import { readJailRecord } from '../../../bridge-server/runtimes/jail/jail-record.ts';
import { endLeftJail, reattachJail } from '../../../bridge-server/runtimes/jail/reattach-jail.ts';
import { until } from '../../../guest/init/test/agent.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { copyImageRoot, imageRoot } from './image-root.ts';
import { controlGroupsNamed } from './leftovers.ts';
import { TestJail } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;

describe.skipIf(!isRoot)('where a bridge meets a jail that outlived another (needs root)', () => {
  let root: string;
  let place: string;
  let outlives: OutlivingJail;
  beforeAll(async () => {
    root = await imageRoot();
    place = await mkdtemp(join(tmpdir(), 'coppice-meeting-'));
  });
  afterAll(() => rm(place, { recursive: true }));
  beforeEach(() => {
    outlives = {
      // Longer than a unix socket's address.
      folder: join(place, 'long'.repeat(40), crypto.randomUUID()),
      waitMs: 600_000,
      sandbox: 'some',
      root: { kind: 'overlay', folder: crypto.randomUUID(), layers: [], madeAtMs: 0 },
      trees: ['0'.repeat(64) as ObjectId],
    };
  });

  const goOn = (folder: string) => reattachJail(folder, readJailRecord(folder));

  async function output(
    client: InitClient,
    command: string,
    user: 'root' | 'user' = 'root',
  ): Promise<string> {
    let text = '';
    const ended = Promise.withResolvers<void>();
    await client.exec({ command, user }, (event) => {
      if (event.type === 'exit') ended.resolve();
      else text += Buffer.from(event.bytes).toString();
    });
    await ended.promise;
    return text;
  }

  test('B2 15: nothing inside has a way to the sockets: no descriptor, no name, not init’s', async () => {
    await using jail = await TestJail.open(root, { outlives, place });
    expect((await readdir(outlives.folder)).sort()).toEqual(['agent', 'custody', 'record.json']);
    for (const user of ['root', 'user'] as const) {
      const { client } = jail;
      expect(await output(client, 'ls /proc/self/fd | wc -l', user)).toBe('4\n');
      expect(await output(client, 'readlink /proc/1/fd/*; echo $?', user)).toBe('1\n');
      expect(await output(client, 'coppice-probe meet /proc/1/fd/7', user)).toBe('EACCES\n');
      expect(await output(client, 'grep -c . /proc/net/unix', user)).toBe('1\n');
      expect(await output(client, 'find / -xdev -type s 2> /dev/null | wc -l', user)).toBe('0\n');
    }
  });

  test('B2 15: who has a way all the same is not let in, and the next bridge is', async () => {
    await using copy = await copyImageRoot();
    const folder = join(copy.path, 'meeting');
    const bind = { type: 'bind', path: copy.path } as const;
    const jail = await TestJail.open(root, { outlives: { ...outlives, folder }, root: bind, place });
    const tries = ['agent', 'custody'].map(
      (name) => `setsid sh -c 'trap "" HUP; coppice-probe meet /meeting/${name} > /run/${name}' &`,
    );
    const both = tries
      .map((_, index) => `grep -q connected /run/${['agent', 'custody'][index]}`)
      .join(' && ');
    await output(jail.client, `${tries.join('\n')}\nuntil ${both}; do :; done 2> /dev/null`);
    jail.jail.leave();
    await using next = await goOn(folder);
    const client = new InitClient(next.channel);
    await client.hello();
    const answers =
      'until grep -q E /run/agent && grep -q E /run/custody; do :; done; cat /run/agent /run/custody';
    expect(await output(client, answers)).toBe('connected\nECONNABORTED\n'.repeat(2));
  });

  test('IP-17: the agent is the same, knows no stream of before, and hangs up what ran in the foreground', async () => {
    const jail = await TestJail.open(root, { outlives, place });
    const { bootId } = await jail.client.hello();
    const begun = Promise.withResolvers<void>();
    const listener = (event: { type: string }) => {
      if (event.type !== 'exit') begun.resolve();
    };
    await jail.client.exec({ command: 'trap "" HUP; echo begun; while :; do :; done' }, listener);
    await begun.promise;
    await jail.start({ command: ['bash', '-i'], pty: { columns: 80, rows: 24 } });
    await output(jail.client, 'sleep 1000 < /dev/null > /dev/null 2>&1 &');
    jail.jail.leave();
    await using next = await goOn(outlives.folder);
    const client = new InitClient(next.channel);
    expect(await client.hello()).toMatchObject({ bootId, attached: [] });
    const commands = async () => (await client.list()).processes.map(({ argv }) => argv.join(' '));
    // What takes no notice of a hang-up is killed after two seconds.
    await until(async () => (await commands()).length === 1);
    expect(await commands()).toEqual(['sleep 1000']);
  });

  test('O-1: a jail that has not passed its own test is not gone on with', async () => {
    const jail = await TestJail.open(root, { outlives, place });
    jail.jail.leave();
    const record = { ...readJailRecord(outlives.folder), landlockAbi: undefined };
    await expect(reattachJail(outlives.folder, record)).rejects.toMatchObject({ code: 'machine-failed' });
    expect(await controlGroupsNamed(jail.spec.cgroup)).toEqual([]);
  });

  test('O-1: one that is ended tells how, and leaves nothing', async () => {
    const jail = await TestJail.open(root, { outlives, place });
    jail.jail.leave();
    const next = await goOn(outlives.folder);
    const client = new InitClient(next.channel);
    await client.hello();
    await client.shutdown({ graceMs: 0 });
    expect(await next.ended).toEqual({ reason: 'exited', message: 'The jail has ended (0)' });
    await expect(readdir(outlives.folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await endLeftJail(outlives.folder);
    expect(await controlGroupsNamed(jail.spec.cgroup)).toEqual([]);
  });

  test('O-1: without control groups, a jail that was stopped amid a look goes on', async () => {
    const jail = await TestJail.open(root, { outlives, place });
    const stopped = await output(
      jail.client,
      'sleep 1000 < /dev/null > /dev/null 2>&1 & kill -STOP $!; echo $!',
    );
    const [group = ''] = await controlGroupsNamed(jail.spec.cgroup);
    const pids = (await readFile(join(group, 'cgroup.procs'), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map(Number);
    jail.jail.leave();
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    // A process that is not stopped yet is not among those that go on.
    await expect.poll(() => Promise.all(pids.map(stateOf))).toEqual(pids.map(() => 'T'));
    const record = { ...readJailRecord(outlives.folder), hasGroups: false };
    await using next = await reattachJail(outlives.folder, record);
    const client = new InitClient(next.channel);
    await client.hello();
    expect(await output(client, `kill -0 ${stopped.trim()} && echo there`)).toBe('there\n');
  });
});

/** A letter, as in proc_pid_stat(5). */
async function stateOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '';
}
