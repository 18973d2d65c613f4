import { describe, expect, test } from 'vitest';
import { FileDirectory } from '../../bridge-server/stores/file-directory.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import { powerCutSuite } from './power-cut-suite.ts';
import { SimulatedHostDisk } from './simulated-host-disk.ts';
import { keeps, object, pool } from './store-operations.ts';

function create(): { disk: SimulatedHostDisk; directory: FileDirectory } {
  const disk = new SimulatedHostDisk();
  return { disk, directory: new FileDirectory('/sandbox', { disk }) };
}

powerCutSuite({ name: 'files of a host', create });

describe('files of a host', () => {
  test('H-4 the first commit of a new store outlives a power cut that forgets every name it may', async () => {
    const { disk, directory } = create();
    const store = await LogStore.open(directory);
    await store.commit({ objects: [object(4)], refs: [{ name: 'head', value: '1' }] });
    disk.restart(() => 0);
    const promised = { refs: new Map([['head', '1']]), objects: new Set([4]) };
    expect(keeps(await LogStore.open(directory), promised)).toBe(true);
  });

  test('H-4 what a sweep kept outlives a power cut that forgets every name it may', async () => {
    const { disk, directory } = create();
    const store = await LogStore.open(directory);
    await store.put(pool);
    await store.sweep(new Set([object(4).id]));
    disk.restart(() => 0);
    expect(disk.list('/sandbox')).toEqual(['log-2']);
    expect(keeps(await LogStore.open(directory), { refs: new Map(), objects: new Set([4]) })).toBe(true);
  });

  test('what Linux takes of a write only in part is written on', async () => {
    const { disk, directory } = create();
    const store = await LogStore.open(directory);
    disk.failures = ['short write', 'short write', 'short write'];
    await store.put(pool);
    disk.restart(() => 0);
    const promised = { refs: new Map(), objects: new Set(pool.keys()) };
    expect(keeps(await LogStore.open(directory), promised)).toBe(true);
  });

  test.each([
    ['write', ['write']],
    ['write after a part of it', ['short write', 'write']],
    ['sync', ['sync']],
  ] as const)(
    'B-10 when a %s finds the disk full, what was saved stays, and a later commit succeeds',
    async (_, failures) => {
      const { disk, directory } = create();
      const store = await LogStore.open(directory);
      await store.commit({ objects: [object(4)], refs: [{ name: 'head', value: '1' }] });
      disk.failures = [...failures];
      const refused = store.commit({ objects: [object(5)], refs: [{ name: 'head', value: '2' }] });
      await expect(refused).rejects.toMatchObject({ code: 'storage-full', details: { name: 'ENOSPC' } });
      expect(disk.failures).toEqual([]);
      expect(keeps(store, { refs: new Map([['head', '1']]), objects: new Set([4]) })).toBe(true);
      await store.commit({ objects: [object(6)], refs: [{ name: 'head', value: '3' }] });
      disk.restart(() => 1);
      const later = { refs: new Map([['head', '3']]), objects: new Set([4, 6]) };
      expect(keeps(await LogStore.open(directory), later)).toBe(true);
    },
  );

  test.each(['open', 'sync'] as const)(
    'H-4 a store whose first %s fails keeps no file open, and the next opening makes up for it',
    async (failure) => {
      const { disk, directory } = create();
      disk.failures = [failure];
      await expect(LogStore.open(directory)).rejects.toMatchObject({ code: 'storage-full' });
      expect(disk.openFiles).toBe(0);
      const store = await LogStore.open(directory);
      await store.put([object(4)]);
      disk.restart(() => 0);
      expect(keeps(await LogStore.open(directory), { refs: new Map(), objects: new Set([4]) })).toBe(true);
    },
  );

  test('H-8 a closed store keeps no file open, whatever happened to it', async () => {
    const { disk, directory } = create();
    const store = await LogStore.open(directory);
    await store.put(pool);
    await store.sweep(new Set([object(1).id]));
    disk.failures = ['sync'];
    await expect(store.sweep(new Set())).rejects.toMatchObject({ code: 'storage-full' });
    expect(disk.openFiles).toBe(1);
    await store.close();
    expect(disk.openFiles).toBe(0);
  });

  test('B-3 a reader that comes while the writer sweeps sees the store, before or after', async () => {
    const { disk, directory } = create();
    await using writer = await LogStore.open(directory);
    await writer.put(pool);
    const reading = new FileDirectory('/sandbox', { readOnly: true, disk });
    // The writer sweeps between the reader's look at the names and its opening of one.
    const { generations } = FileDirectory.prototype;
    let live = pool.map(({ id }) => id);
    reading.generations = async () => {
      const listed = await generations.call(reading);
      live = live.slice(1);
      if (live.length > pool.length - 3) await writer.sweep(new Set(live));
      return listed;
    };
    await using reader = await LogStore.open(reading);
    expect(await reader.has(pool.map(({ id }) => id))).toEqual(new Set(pool.slice(2).map(({ id }) => id)));
  });

  test('other files of the folder are none of its business', async () => {
    const { disk, directory } = create();
    for (const name of ['lock', 'log-', 'log-01', 'log-1.old', 'log-9999999999999999', 'xlog-1']) {
      disk.close(disk.open(`/sandbox/${name}`, 'create'));
    }
    const before = disk.list('/sandbox');
    await using store = await LogStore.open(directory);
    await store.put(pool);
    await store.sweep(new Set());
    expect(disk.list('/sandbox')).toEqual([...before, 'log-2']);
  });
});
