import { describe, expect, test } from 'vitest';
import { FileDirectory } from '../../bridge-server/stores/file-directory.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import { storeLimits } from '../../tree/log-store/store-limits.ts';
import { sampleObject } from '../conformance/sample-objects.ts';
import { powerCutSuite } from './power-cut-suite.ts';
import { SimulatedHostDisk } from './simulated-host-disk.ts';
import { isIntact, keeps, object, pool } from './store-operations.ts';

/** Enough for the file that it is in to be shared. */
const large = sampleObject(100, storeLimits.sharedFileBytes);
const childRefs = new Map([['head', 'child']]);

interface Family {
  readonly disk: SimulatedHostDisk;
  readonly parents: FileDirectory;
  readonly parent: LogStore;
  readonly children: FileDirectory;
}

async function family(): Promise<Family> {
  const disk = new SimulatedHostDisk();
  const parents = new FileDirectory('/parent', { disk });
  const parent = await LogStore.open(parents);
  await parent.commit({ objects: [large, object(1)], refs: [{ name: 'head', value: 'parent' }] });
  return { disk, parents, parent, children: new FileDirectory('/child', { disk }) };
}

const parentHas = { refs: new Map([['head', 'parent']]), objects: new Set([1]) };
const childHas = { refs: childRefs, objects: new Set([1]) };

powerCutSuite({
  name: 'files that another store has too',
  async create() {
    const { disk, parent, children } = await family();
    expect(parent.cloneInto(children, new Map())).toBe(true);
    return { disk, directory: children };
  },
});

describe('a clone', () => {
  test('O-7 shares what is large with its parent, and has refs of its own', async () => {
    const { disk, parent, children } = await family();
    await parent.commit({ objects: [], refs: [{ name: 'tag/a', value: 'x' }] });
    expect(parent.cloneInto(children, childRefs)).toBe(true);
    const [first = '', second = ''] = disk.list('/parent');
    expect([first, disk.list('/child')]).toEqual(['log-1', [first, second]]);
    expect(disk.isSame('/parent/log-1', '/child/log-1')).toBe(true);
    expect(disk.isSame(`/parent/${second}`, `/child/${second}`)).toBe(false);
    await using child = await LogStore.open(children);
    expect(keeps(child, childHas)).toBe(true);
    expect(isIntact(child, large)).toBe(true);
    // Another one of the same instant has the same file.
    const twins = new FileDirectory('/twin', { disk });
    expect(parent.cloneInto(twins, childRefs)).toBe(true);
    expect(disk.list('/parent')).toEqual([first, second]);
    expect(disk.isSame('/parent/log-1', '/twin/log-1')).toBe(true);
  });

  test('O-7 little is copied instead, and the parent stays one file', async () => {
    const disk = new SimulatedHostDisk();
    const parent = await LogStore.open(new FileDirectory('/parent', { disk }));
    await parent.commit({ objects: [object(1)], refs: [{ name: 'head', value: 'parent' }] });
    const children = new FileDirectory('/child', { disk });
    expect(parent.cloneInto(children, childRefs)).toBe(true);
    expect([disk.list('/parent'), disk.list('/child')]).toEqual([['log-1'], ['log-1']]);
    expect(disk.isSame('/parent/log-1', '/child/log-1')).toBe(false);
    expect(keeps(await LogStore.open(children), childHas)).toBe(true);
  });

  test('H-1 whatever one of the two does, the other has what it had', async () => {
    const { disk, parent, parents, children } = await family();
    parent.cloneInto(children, childRefs);
    const child = await LogStore.open(children);
    await parent.put([object(2)]);
    await child.put([object(3)]);
    expect(await child.has([object(2).id])).toEqual(new Set());
    expect(await parent.has([object(3).id])).toEqual(new Set());
    await parent.sweep(new Set([object(1).id]));
    expect(disk.list('/parent')).toEqual(['log-2']);
    expect([large, object(1), object(3)].every((stored) => isIntact(child, stored))).toBe(true);
    expect(await child.sweep(new Set([object(3).id]))).toBeGreaterThan(large.bytes.length);
    expect(disk.list('/child')).toEqual(['log-2']);
    await parent.close();
    await child.close();
    expect(keeps(await LogStore.open(parents), parentHas)).toBe(true);
    expect(keeps(await LogStore.open(children), { refs: childRefs, objects: new Set([3]) })).toBe(true);
  });

  test('O-7 a log has so many files at most; what comes after is copied', async () => {
    const { disk, parent, parents } = await family();
    for (let n = 0; n < storeLimits.logFiles + 2; n++) {
      await parent.put([sampleObject(200 + n, storeLimits.sharedFileBytes)]);
      expect(parent.cloneInto(new FileDirectory(`/child-${n}`, { disk }), childRefs)).toBe(true);
    }
    expect(disk.list('/parent')).toHaveLength(storeLimits.logFiles);
    await parent.close();
    const stores = [parents, new FileDirectory(`/child-${storeLimits.logFiles + 1}`, { disk })];
    for (const directory of stores) {
      await using store = await LogStore.open(directory);
      for (let n = 0; n < storeLimits.logFiles + 2; n++) {
        expect(isIntact(store, sampleObject(200 + n, storeLimits.sharedFileBytes))).toBe(true);
      }
    }
  });

  test('B-3 is made of a store that another process writes to, as it is known to who reads', async () => {
    const { disk, parent, children } = await family();
    parent.cloneInto(children, childRefs);
    await using reader = await LogStore.open(new FileDirectory('/parent', { readOnly: true, disk }));
    await parent.put([sampleObject(101, storeLimits.sharedFileBytes), object(2)]);
    parent.cloneInto(new FileDirectory('/newer', { disk }), childRefs);
    const olds = new FileDirectory('/older', { disk });
    expect(reader.cloneInto(olds, childRefs)).toBe(true);
    await using older = await LogStore.open(olds);
    expect(keeps(older, childHas)).toBe(true);
    expect(await older.has([object(2).id])).toEqual(new Set());
    expect(disk.isSame('/older/log-1', '/parent/log-1')).toBe(true);
    // The files go while the reader has them open still.
    await parent.sweep(new Set());
    const lasts = new FileDirectory('/last', { disk });
    expect(reader.cloneInto(lasts, childRefs)).toBe(true);
    expect(keeps(await LogStore.open(lasts), childHas)).toBe(true);
  });

  test('B-10 a file that the file system gives no other name is copied', async () => {
    const { disk, parent, children } = await family();
    disk.failures = ['link'];
    expect(parent.cloneInto(children, childRefs)).toBe(true);
    expect(disk.list('/child')).toEqual(['log-1']);
    await using child = await LogStore.open(children);
    expect(keeps(child, childHas)).toBe(true);
    expect(isIntact(child, large)).toBe(true);
  });

  test.each(['open', 'sync', 'write'] as const)(
    'B-10 one whose first %s finds the disk full leaves the parent as it was, which goes on, durably',
    async (failure) => {
      const { disk, parent, parents, children } = await family();
      disk.failures = [failure];
      expect(() => parent.cloneInto(children, childRefs)).toThrow(
        expect.objectContaining({ code: 'storage-full' }),
      );
      await parent.commit({ objects: [object(2)], refs: [{ name: 'head', value: 'later' }] });
      await parent.close();
      expect(disk.openFiles).toBe(0);
      disk.restart(() => 0);
      const later = { refs: new Map([['head', 'later']]), objects: new Set([1, 2]) };
      expect(keeps(await LogStore.open(parents), later)).toBe(true);
    },
  );

  test('H-4 a power cut at any call leaves the parent as it was, and a clone that was acknowledged whole', async () => {
    for (let cut = 1; ; cut++) {
      for (const fate of [0, 1, 2, 3, 4]) {
        const { disk, parent, parents, children } = await family();
        disk.callsLeft = cut;
        let isMade = false;
        try {
          isMade = parent.cloneInto(children, childRefs);
          await parent.commit({ objects: [object(2)], refs: [] });
        } catch (error) {
          if (disk.callsLeft > 0) throw error;
        }
        const isWhole = disk.callsLeft > 0;
        disk.restart((bound) => fate % bound);
        const reopened = await LogStore.open(parents);
        expect(keeps(reopened, parentHas) && isIntact(reopened, large)).toBe(true);
        expect(reopened.damage).toEqual([]);
        await reopened.commit({ objects: [object(3)], refs: [] });
        if (isMade) {
          const child = await LogStore.open(children);
          expect(keeps(child, childHas) && isIntact(child, large)).toBe(true);
          expect(await child.has([object(2).id, object(3).id])).toEqual(new Set());
        }
        disk.restart(() => 0);
        const again = await LogStore.open(parents);
        expect([large, object(1), object(3)].every((stored) => isIntact(again, stored))).toBe(true);
        if (isWhole && fate === 4) return;
      }
    }
  });

  test('H-4 damage at the end of a shared file is told, and what comes after is written elsewhere', async () => {
    const { disk, parent, parents, children } = await family();
    await parent.put([object(4)]);
    const endBytes = parent.sizeBytes;
    parent.cloneInto(children, childRefs);
    await parent.close();
    disk.rot('/parent/log-1', endBytes - object(4).bytes.length - 60);
    const shared = disk.bytesOf('/parent/log-1');
    for (const directory of [parents, children]) {
      const store = await LogStore.open(directory);
      expect(store.damage).toHaveLength(1);
      expect(await store.has(pool.map(({ id }) => id))).toEqual(new Set([object(1).id]));
      await store.put([object(4)]);
      await store.close();
      const again = await LogStore.open(directory);
      expect([large, object(1), object(4)].every((stored) => isIntact(again, stored))).toBe(true);
    }
    expect(disk.bytesOf('/parent/log-1')).toEqual(shared);
  });
});
