import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { StoppedProcesses } from '../../../bridge-server/runtimes/jail/stopped-processes.ts';
import { until } from '../../../guest/init/test/agent.ts';
import { imageRoot } from './image-root.ts';
import { controlGroupsNamed } from './leftovers.ts';
import { TestJail } from './test-jail.ts';

const isRoot = process.geteuid?.() === 0;
let root: string;
beforeAll(async () => {
  if (isRoot) root = await imageRoot();
});

interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  /** Its ids, from this namespace down to its own. */
  readonly ids: readonly string[];
}

/** Everything in a jail, by its control group, which misses nothing; but for what ends while it is looked at. */
async function everythingIn(jail: TestJail): Promise<Found[]> {
  const [group] = await controlGroupsNamed(jail.spec.cgroup);
  const pids = (await readFile(join(group ?? '', 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean);
  return (await Promise.all(pids.map(find))).filter((found) => found !== undefined);
}

async function find(pid: string): Promise<Found | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
  });
  if (status === undefined) return undefined;
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  const ids = field('NSpid').split('\t');
  return { pid: Number(pid), parent: Number(field('PPid')), state: field('State').charAt(0), ids };
}

describe.skipIf(!isRoot)('the processes of a jail without control groups (needs root)', () => {
  test('O-7 stand still by signals in pid namespaces of their own too, and go on afterwards', async () => {
    await using jail = await TestJail.open(root, { nested: true });
    // Two namespaces deep, and one whose parent has ended.
    const inner = '(sleep 1000 &); exec unshare --pid --fork sh -c "sleep 1000; true"';
    const nested = await jail.start(`exec unshare --user --map-root-user --pid --fork sh -c '${inner}'`);
    let ran: Found[] = [];
    await until(async () => {
      ran = await everythingIn(jail);
      return [3, 4].every((depth) => ran.filter(({ ids }) => ids.length === depth).length === 2);
    });
    const launcher = ran.find(({ ids }) => ids.length === 2 && ids[1] === '1')?.parent ?? 0;

    const processes = new StoppedProcesses(launcher);
    await processes.freeze();
    const stopped = await everythingIn(jail);
    expect(new Set(stopped.map(({ pid }) => pid))).toEqual(new Set(ran.map(({ pid }) => pid)));
    expect(stopped.map(({ state }) => state).join('')).toMatch(/^T+$/);

    await processes.thaw();
    expect((await everythingIn(jail)).map(({ state }) => state).join('')).not.toContain('T');
    await nested.process.kill();
    await nested.done;
  });

  test('I-6 Ctrl-Z that is pressed while they stand still stops its job afterwards', async () => {
    await using jail = await TestJail.open(root);
    const shell = await jail.start("exec bash -c 'exec 3<> <(:); set -m; sleep 1000 & read -r -u 3'");
    const findJob = async () => {
      for (const found of await everythingIn(jail)) {
        const name = await readFile(`/proc/${found.pid}/comm`, 'utf8').catch(() => '');
        if (name === 'sleep\n') return found;
      }
      return undefined;
    };
    await until(async () => (await findJob()) !== undefined);
    const pid = (await findJob())?.pid ?? 0;
    const init = (await everythingIn(jail)).find(({ ids }) => ids[1] === '1');
    const processes = new StoppedProcesses(init?.parent ?? 0);

    await processes.freeze();
    process.kill(pid, 'SIGTSTP');
    await processes.thaw();
    await until(async () => (await findJob())?.state === 'T');

    // What a job was stopped by before, it still is after.
    await processes.freeze();
    await processes.thaw();
    expect((await findJob())?.state).toBe('T');
    expect((await find(`${init?.pid}`))?.state).toBe('S');
    await shell.process.kill();
    await shell.done;
  });

  test('O-7 a parent that waits until its child executes a program stands still too', async () => {
    await using jail = await TestJail.open(root);
    // Shells start programs by vfork(2); this child takes its time.
    const source = `#include <time.h>
      #include <unistd.h>
      int main() {
        struct timespec time = { 0, 400000000 };
        if (vfork() == 0) { nanosleep(&time, 0); execl("/bin/sleep", "sleep", "1000", (char *)0); _exit(1); }
        pause();
      }`;
    const program = await jail.start(
      `cat > /tmp/vfork.c <<'END'\n${source}\nEND\nexec tcc -run /tmp/vfork.c`,
    );
    const waits = ({ state }: Found) => state === 'D';
    await until(async () => (await everythingIn(jail)).some(waits));
    const init = (await everythingIn(jail)).find(({ ids }) => ids[1] === '1');
    const processes = new StoppedProcesses(init?.parent ?? 0);
    await processes.freeze();
    expect((await everythingIn(jail)).map(({ state }) => state).join('')).toMatch(/^T+$/);
    await processes.thaw();
    await program.process.kill();
    await program.done;
  });

  test('I-6 a shell with jobs does not notice that it and they stood still', async () => {
    await using jail = await TestJail.open(root);
    const jobs =
      'set -m; until [ -e /tmp/enough ]; do sleep 0.005; [ $? = 0 ] || echo $?; done; jobs; echo all';
    const shell = await jail.start(`exec bash -c '${jobs}'`);
    const init = (await everythingIn(jail)).find(({ ids }) => ids[1] === '1');
    const processes = new StoppedProcesses(init?.parent ?? 0);
    for (let round = 0; round < 100; round++) {
      await processes.freeze();
      await processes.thaw();
    }
    await jail.run('touch /tmp/enough');
    expect((await shell.done).output).toBe('all\n');
  });

  test('O-7 which multiply meanwhile stand still all the same', async () => {
    await using jail = await TestJail.open(root, { nested: true });
    const busy = 'while :; do (exec sleep 0.02) & wait; done';
    const nested = await jail.start(`exec unshare --user --map-root-user --pid --fork sh -c '${busy}'`);
    await until(async () => (await everythingIn(jail)).some(({ ids }) => ids.length === 3));
    const ran = await everythingIn(jail);
    const launcher = ran.find(({ ids }) => ids.length === 2 && ids[1] === '1')?.parent ?? 0;
    const processes = new StoppedProcesses(launcher);
    for (let round = 0; round < 10; round++) {
      await processes.freeze();
      const states = (await everythingIn(jail)).map(({ state }) => state).join('');
      expect(states).toMatch(/^[TZ]+$/);
      await processes.thaw();
    }
    await nested.process.kill();
    await nested.done;
  });

  test('S-2 a socket that is asked for meanwhile is given all the same', async () => {
    await using jail = await TestJail.open(root);
    const asks = [
      'import os, socket',
      'made, wrong = 0, 0',
      "while not os.path.exists('/tmp/enough'):",
      '  made += 1',
      '  opened = socket.socket()',
      // One that was not given would be 0, which is standard input.
      '  wrong += opened.fileno() < 3',
      '  opened.close() if opened.fileno() > 2 else opened.detach()',
      'print(made > 100, wrong)',
    ].join('\n');
    const python = await jail.start(`python3 -c "${asks}"`);
    const init = (await everythingIn(jail)).find(({ ids }) => ids[1] === '1');
    const processes = new StoppedProcesses(init?.parent ?? 0);
    for (let round = 0; round < 200; round++) {
      await processes.freeze();
      await processes.thaw();
    }
    await jail.run('touch /tmp/enough');
    expect((await python.done).output).toBe('True 0\n');
  });
});
