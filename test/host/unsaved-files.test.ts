import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { undoSteps } from '../../sdk/undo/move-steps.ts';
import { EventWatch } from '../conformance/sandbox/event-watch.ts';
import { leastDiskMiB } from './least-disk.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

let files: TestFolder;
let host: Host;
/** What the host was told of (`HostOptions.onUnsaved`). */
let warned: string[];
/** The least disk that the image fits on. */
let least: number;

describe.skipIf(lack)(`H-4 a disk over its limit${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    warned = [];
    await reopen();
    least = await leastDiskMiB(host.backend);
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });

  test('its files are there after a stop, after a restart of the bridge, and saved once there is room', async () => {
    let sandbox = await Sandbox.create({ diskMiB: least + 28, backend: host.backend });
    const { id } = sandbox;
    const over = await sandbox.run('head -c 30000000 /dev/urandom > big; cp big big2; echo later > later');
    expect(over.unsaved).toMatchObject({ code: 'storage-full' });
    expect(warned).toEqual([`${id} storage-full`]);
    expect(await unsavedOf(id)).toMatchObject({ code: 'storage-full' });
    await sandbox.close();

    sandbox = await Sandbox.open(id, { backend: host.backend });
    expect((await sandbox.run('cat later; stat -c %s big')).stdout).toBe('later\n30000000\n');
    expect(await unsavedOf(id)).toMatchObject({ code: 'storage-full' });
    await sandbox.close();

    await host[Symbol.asyncDispose]();
    await reopen();
    sandbox = await Sandbox.open(id, { backend: host.backend });
    const events = await EventWatch.open(sandbox);
    const { stdout, unsaved } = await sandbox.run('cat later && cmp -n 1000 big big2; rm big2');
    expect([stdout, unsaved]).toEqual(['later\n', undefined]);
    await events.next('capture-resumed');
    expect(await unsavedOf(id)).toBeUndefined();
    const head = await sandbox.history.head();
    expect(await sandbox.files.read('/home/user/later', { at: head })).toBe('later\n');
    await sandbox.close();

    sandbox = await Sandbox.open(id, { backend: host.backend });
    expect((await sandbox.run('ls')).stdout).toBe('big\nlater\n');
    await sandbox.close();
  });

  test('H-5 a checkout that discards gives them up, and the sandbox begins there after', async () => {
    let sandbox = await Sandbox.create({ diskMiB: least + 28, backend: host.backend });
    await sandbox.run('echo before > before');
    const { id: head } = await sandbox.createSnapshot();
    await sandbox.run('head -c 30000000 /dev/urandom > big; cp big big2; cp big big3');
    await sandbox.checkout(head, { discard: true });
    expect(await unsavedOf(sandbox.id)).toBeUndefined();
    await sandbox.close();
    sandbox = await Sandbox.open(sandbox.id, { backend: host.backend });
    expect((await sandbox.run('ls')).stdout).toBe('before\n');
    await sandbox.close();
  });

  test('H-4 H-6 it can be rolled back: what was there is kept as far as there is room, and that says so', async () => {
    await using sandbox = await Sandbox.create({ diskMiB: least + 28, backend: host.backend });
    await sandbox.run('echo before > before');
    const { id: head } = await sandbox.createSnapshot();
    const fill =
      'rm before; echo small > small; head -c 30000000 /dev/urandom > big; cp big big2; cp big big3';
    await sandbox.run(fill);
    const moved = await sandbox.checkout(head);
    expect(moved).toMatchObject({ head, unkept: { code: 'storage-full' } });
    expect((await sandbox.run('ls')).stdout).toBe('before\n');
    const { snapshots } = await sandbox.history.get();
    const left = snapshots.find(({ id }) => id === moved.previousHead);
    expect(left?.coverage.files).toMatchObject({ captured: false });
    expect(await sandbox.files.read('/home/user/small', { at: moved.previousHead })).toBe('small\n');
    const then = await sandbox.files.list('/home/user', { at: moved.previousHead });
    expect(then.map(({ name }) => name)).not.toContain('before');

    await sandbox.run(fill);
    const undone = await undoSteps(sandbox, { count: 1, remedy: '' });
    expect(undone).toMatchObject({
      head,
      warning: expect.stringContaining('not all of what was there is kept'),
    });
    expect((await sandbox.run('ls; echo more > more')).stdout).toBe('before\n');
    expect((await sandbox.createSnapshot()).coverage.files).toEqual({ captured: true });
  });

  test('O-9 what writes past it is killed within a second, with the reason, and the rest goes on', async () => {
    const sandbox = await Sandbox.create({ diskMiB: least + 92, backend: host.backend });
    const killed = await sandbox.run('dd if=/dev/zero of=zeros bs=1M count=3000 status=none');
    expect(killed).toMatchObject({ reason: 'disk-limit', signal: 'SIGKILL' });
    const { stdout } = await sandbox.run('stat -c %b zeros; echo alive; rm zeros; echo small > small');
    const [blocks = '', alive] = stdout.split('\n');
    expect(alive).toBe('alive');
    expect(Number(blocks) * 512).toBeLessThan(2_000_000_000);
    const left = await sandbox.run('cat small');
    expect([left.stdout, left.unsaved]).toEqual(['small\n', undefined]);
    await sandbox.close();
  });

  test('O-9 a disk that is smaller than the image is refused, with the least that works', async () => {
    const sandbox = await Sandbox.create({ diskMiB: least, backend: host.backend });
    expect((await sandbox.run('echo saved > saved')).unsaved).toBeUndefined();
    await sandbox.close();
    expect(await unsavedOf(sandbox.id)).toBeUndefined();
  });
});

async function reopen(): Promise<void> {
  const onUnsaved = (sandbox: string, { code }: { code: string }) => void warned.push(`${sandbox} ${code}`);
  host = await openHost({ ...files.options, onUnsaved });
}

async function unsavedOf(id: string): Promise<unknown> {
  return (await host.backend.list()).find((info) => info.id === id)?.unsaved;
}
