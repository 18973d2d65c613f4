import { describe, expect, test } from 'vitest';
import { EventWatch } from '../conformance/sandbox/event-watch.ts';
import { FailingStore } from './failing-store.ts';
import { openSandbox } from './open-sandbox.ts';

describe('a store that fails', () => {
  test('B-10 H-4 full: capture stops and says so, nothing saved is touched, the guest sees ENOSPC and goes on; with space it resumes', async () => {
    const store = new FailingStore();
    await using sandbox = await openSandbox({ store });
    await sandbox.files.write('/home/user/saved', 'saved');
    const saved = await sandbox.createSnapshot({ label: 'saved' });
    const before = await sandbox.history.get();
    const events = await EventWatch.open(sandbox);

    store.full = 'objects';
    await sandbox.run('echo unsaved > ~/unsaved; rm ~/saved');
    const stopped = await events.next('capture-stopped');
    expect(stopped.error.code).toBe('storage-full');
    expect((await sandbox.storage()).stopped).toMatchObject({ code: 'storage-full' });
    await expect(sandbox.createSnapshot()).rejects.toMatchObject({ code: 'storage-full' });
    await expect(sandbox.checkout(saved.id)).rejects.toMatchObject({ code: 'storage-full' });
    expect((await sandbox.history.get()).snapshots).toEqual(before.snapshots);
    expect(await sandbox.files.read('/home/user/saved', { at: saved.id })).toBe('saved');
    const refused = await sandbox.run('cat ~/unsaved; echo more > ~/more');
    expect(refused).toMatchObject({ stdout: 'unsaved\n', exitCode: 1 });
    expect(refused.stderr).toContain('No space left on device');

    store.full = undefined;
    await sandbox.history.collectGarbage();
    await events.next('capture-resumed');
    expect((await sandbox.storage()).stopped).toBeUndefined();
    const head = await sandbox.history.head();
    expect(await sandbox.files.read('/home/user/unsaved', { at: head })).toBe('unsaved\n');
    await sandbox.checkout(saved.id);
    expect(await sandbox.files.read('/home/user/saved')).toBe('saved');
  });

  test('full: a write that finds no room finds out when there is some again, and then succeeds', async () => {
    const store = new FailingStore();
    await using sandbox = await openSandbox({ store });
    await sandbox.history.head(); // The first snapshot is there.
    const events = await EventWatch.open(sandbox);
    store.full = 'objects';
    await sandbox.run('echo one > ~/one');
    await events.next('capture-stopped');
    store.full = undefined;
    await sandbox.run('echo two > ~/two');
    const { snapshot } = await events.next('snapshot');
    expect(snapshot.cause).toMatchObject({ commands: expect.arrayContaining(['echo one > ~/one']) });
    await events.next('capture-resumed');
    expect(await sandbox.run('echo three > ~/three')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await sandbox.files.read('/home/user/one')).toBe('one\n');
  });

  test('B-10 H-4 full: going back without saving gives up what changed since HEAD, and capture goes on', async () => {
    const store = new FailingStore();
    await using sandbox = await openSandbox({ store });
    await sandbox.files.write('/home/user/a', 'first');
    const first = await sandbox.createSnapshot({ label: 'first' });
    await sandbox.files.write('/home/user/a', 'second');
    const second = await sandbox.createSnapshot({ label: 'second' });
    const events = await EventWatch.open(sandbox);

    store.full = 'all';
    await sandbox.run('echo unsaved > ~/unsaved');
    await events.next('capture-stopped');
    await expect(sandbox.checkout(first.id, { discard: true })).rejects.toMatchObject({
      code: 'storage-full',
    });
    expect(await sandbox.files.read('/home/user/unsaved')).toBe('unsaved\n');
    // HEAD stays where it is, which takes no room.
    expect(await sandbox.checkout('HEAD', { discard: true })).toMatchObject({
      head: second.id,
      previousHead: second.id,
    });
    await events.next('capture-resumed');
    expect(await sandbox.files.exists('/home/user/unsaved')).toBe(false);

    store.full = 'objects';
    await sandbox.run('echo unsaved > ~/unsaved');
    await events.next('capture-stopped');
    expect(await sandbox.checkout(first.id, { discard: true })).toMatchObject({
      head: first.id,
      previousHead: second.id,
    });
    await events.next('capture-resumed');
    expect((await sandbox.run('cat ~/a; ls ~/unsaved')).stdout).toBe('first');
    expect((await sandbox.storage()).stopped).toBeUndefined();

    store.full = undefined;
    await sandbox.run('echo third > ~/a');
    const third = await sandbox.createSnapshot();
    expect(await sandbox.files.read('/home/user/a', { at: third.id })).toBe('third\n');
    expect((await sandbox.history.log()).slice(0, 3).map(({ id }) => id)).toContain(first.id);
  });

  test.each([
    { damaged: false, code: 'missing-object' },
    { damaged: true, code: 'corrupt-object' },
  ])('H-4 a snapshot with a $code is refused by name; the others work', async ({ damaged, code }) => {
    const store = new FailingStore();
    await using sandbox = await openSandbox({ store });
    await sandbox.files.write('/home/user/a', 'only in the first');
    const first = await sandbox.createSnapshot({ label: 'first' });
    await sandbox.files.write('/home/user/a', 'second');
    const second = await sandbox.createSnapshot({ label: 'second' });
    expect(store.lose('only in the first', { damaged })).toBe(1);

    const refused = await sandbox.checkout(first.id).catch((error) => error);
    expect(refused).toMatchObject({ code });
    expect(refused.message).toContain(first.id.slice(0, 8));
    expect(await sandbox.history.head()).toBe(second.id);
    expect((await sandbox.run('cat ~/a')).stdout).toBe('second');
    await sandbox.checkout(second.id);
    expect((await sandbox.run('cat ~/a')).stdout).toBe('second');
    await sandbox.history.deleteSnapshot(first.id);
    expect((await sandbox.history.get()).snapshots.map(({ id }) => id)).not.toContain(first.id);
  });
});
