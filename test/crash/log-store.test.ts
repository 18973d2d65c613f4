import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogStore } from '../../tree/log-store/log-store.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sampleObject } from '../conformance/sample-objects.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const runs = Number(process.env.COPPICE_PROPERTY_RUNS ?? 300);
const pool = Array.from({ length: 12 }, (_, seed) => sampleObject(seed, seed * 331));

type Operation =
  | {
      readonly type: 'commit';
      readonly objects: readonly number[];
      readonly ref: string;
      readonly value: string;
    }
  | { readonly type: 'sweep'; readonly live: readonly number[] }
  | { readonly type: 'reopen' };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('commit' as const),
      objects: fc.array(fc.nat({ max: pool.length - 1 }), { maxLength: 4 }),
      ref: fc.constantFrom('head', 'tag/a', 'tag/b'),
      value: fc.string({ maxLength: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('sweep' as const),
      live: fc.array(fc.nat({ max: pool.length - 1 })),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' as const }) },
);

/** What the store has promised: refs, and objects that must be there. */
interface Promised {
  readonly refs: ReadonlyMap<string, string>;
  readonly objects: ReadonlySet<number>;
}

function promisedAfter(before: Promised, done: Operation): Promised {
  if (done.type === 'commit') {
    return {
      refs: new Map([...before.refs, [done.ref, done.value]]),
      objects: new Set([...before.objects, ...done.objects]),
    };
  }
  if (done.type === 'reopen') return before;
  const live = new Set(done.live);
  return { refs: before.refs, objects: new Set([...before.objects].filter((n) => live.has(n))) };
}

async function apply(store: LogStore, done: Operation, disk: SimulatedDisk): Promise<LogStore> {
  if (done.type === 'reopen') {
    await store.close();
    return LogStore.open(disk);
  }
  if (done.type === 'sweep') await store.sweep(new Set(done.live.map((n) => object(n).id)));
  else
    await store.commit({ objects: done.objects.map(object), refs: [{ name: done.ref, value: done.value }] });
  return store;
}

function object(n: number): StoredObject {
  return pool[n] ?? sampleObject(0);
}

/** Whether `store` holds all that was promised, and nothing that is false. */
function keeps(store: LogStore, promised: Promised): boolean {
  const refs = new Map(store.refs(''));
  const sameRefs =
    refs.size === promised.refs.size && [...refs].every(([name, value]) => promised.refs.get(name) === value);
  return sameRefs && [...promised.objects].every((n) => isIntact(store, object(n)));
}

function isIntact(store: LogStore, { id, bytes }: { id: ObjectId; bytes: Uint8Array }): boolean {
  const found = store.readSync(id);
  return found !== undefined && Buffer.compare(found, bytes) === 0;
}

describe('a power cut', () => {
  test('H-4 at any call leaves the last acknowledged commit or the one under way, never else', async () => {
    const arbitrary = fc.record({
      operations: fc.array(operation, { minLength: 1, maxLength: 8 }),
      cutAfter: fc.nat({ max: 40 }),
      fate: fc.infiniteStream(fc.nat({ max: 5 })),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ operations, cutAfter, fate }) => {
        const choose = (bound: number) => (fate.next().value ?? 0) % bound;
        const disk = new SimulatedDisk();
        let promised: Promised = { refs: new Map(), objects: new Set() };
        let underWay = promised;
        disk.callsLeft = cutAfter;
        try {
          let store = await LogStore.open(disk);
          for (const next of operations) {
            underWay = promisedAfter(promised, next);
            store = await apply(store, next, disk);
            promised = underWay;
          }
        } catch (error) {
          if (disk.callsLeft > 0) throw error;
        }
        disk.restart(choose);
        const reopened = await LogStore.open(disk);
        const isPromised = keeps(reopened, promised);
        expect(isPromised || keeps(reopened, underWay)).toBe(true);
        expect(reopened.damage).toEqual([]);
        // And the store goes on from there, as one that never crashed.
        const found = isPromised ? promised : underWay;
        const next: Operation = { type: 'commit', objects: [3, 11], ref: 'head', value: 'later' };
        await apply(reopened, next, disk);
        disk.restart(choose);
        expect(keeps(await LogStore.open(disk), promisedAfter(found, next))).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  test('H-4 during a commit of several parts leaves all of it or nothing', async () => {
    const large = [1, 2, 3].map((seed) => sampleObject(seed, 2_500_000));
    const refs = [{ name: 'head', value: 'large' }];
    for (const cut of [1, 2, 3, 4, 5]) {
      for (const fate of [0, 1, 2]) {
        const disk = new SimulatedDisk();
        const store = await LogStore.open(disk);
        await store.commit({ objects: [object(1)], refs: [{ name: 'head', value: 'small' }] });
        disk.callsLeft = cut;
        await store.commit({ objects: large, refs }).catch(() => undefined);
        const isAcknowledged = disk.callsLeft > 0;
        disk.restart((bound) => fate % bound);
        const reopened = await LogStore.open(disk);
        const isWhole = reopened.ref('head') === 'large';
        expect(isWhole || !isAcknowledged).toBe(true);
        const present = await reopened.has(large.map(({ id }) => id));
        expect(present.size).toBe(isWhole ? large.length : 0);
        if (isWhole) expect(large.every((stored) => isIntact(reopened, stored))).toBe(true);
        await reopened.sweep(new Set(large.slice(1).map(({ id }) => id)));
        disk.restart(() => 0);
        const swept = await LogStore.open(disk);
        expect(swept.ref('head')).toBe(isWhole ? 'large' : 'small');
        expect(large.slice(1).every((stored) => isIntact(swept, stored))).toBe(isWhole);
      }
    }
  });

  test('H-4 during any call of a sweep loses no live object and no ref', async () => {
    for (let cut = 1; ; cut++) {
      const disk = new SimulatedDisk();
      const store = await LogStore.open(disk);
      const promised = { refs: new Map([['head', 'x']]), objects: new Set([1, 2, 3, 5, 7]) };
      await store.put(pool);
      await store.commit({ objects: [], refs: [{ name: 'head', value: 'x' }] });
      disk.callsLeft = cut;
      const live = new Set([...promised.objects].map((n) => object(n).id));
      const isWhole = await store.sweep(live).then(
        () => disk.callsLeft > 0,
        () => false,
      );
      for (const fate of [0, 1, 2, 3, 4]) {
        disk.restart((bound) => fate % bound);
        expect(keeps(await LogStore.open(disk), promised)).toBe(true);
      }
      if (isWhole) return;
    }
  });
});

describe('a full disk', () => {
  test.each(['write', 'short write', 'flush'] as const)(
    'B-10 when a %s fails, what was saved stays, and a later commit succeeds',
    async (failure) => {
      const disk = new SimulatedDisk();
      const store = await LogStore.open(disk);
      const promised = { refs: new Map([['head', '1']]), objects: new Set([4]) };
      await store.commit({ objects: [object(4)], refs: [{ name: 'head', value: '1' }] });
      disk.failures = [failure];
      const refused = store.commit({ objects: [object(5)], refs: [{ name: 'head', value: '2' }] });
      await expect(refused).rejects.toMatchObject({ code: 'storage-full', retryable: true });
      expect(keeps(store, promised)).toBe(true);
      expect(await store.has([object(5).id])).toEqual(new Set());
      await store.commit({ objects: [object(6)], refs: [{ name: 'head', value: '3' }] });
      await store.close();
      const later = { refs: new Map([['head', '3']]), objects: new Set([4, 6]) };
      expect(keeps(await LogStore.open(disk), later)).toBe(true);
    },
  );

  test('B-10 a tail that cannot be cut off now is cut off before the next commit', async () => {
    const disk = new SimulatedDisk();
    const store = await LogStore.open(disk);
    await store.put([object(1)]);
    const sizeBytes = disk.onlyFile.length;
    disk.failures = ['short write', 'truncate', 'truncate'];
    await expect(store.put([object(2)])).rejects.toMatchObject({ code: 'storage-full' });
    // This one fails before it writes: the tail is still in its way.
    await expect(store.put([object(2)])).rejects.toMatchObject({ code: 'storage-full' });
    await store.put([object(3)]);
    expect(disk.onlyFile.length).toBeGreaterThan(sizeBytes);
    const reopened = await LogStore.open(disk);
    expect(await reopened.has(pool.map(({ id }) => id))).toEqual(new Set([object(1).id, object(3).id]));
  });

  test('R-10 a sweep that finds no room for its copy changes nothing', async () => {
    const disk = new SimulatedDisk();
    const store = await LogStore.open(disk);
    await store.put(pool);
    disk.failures = ['write'];
    await expect(store.sweep(new Set())).rejects.toMatchObject({ code: 'storage-full' });
    expect(await disk.generations()).toHaveLength(1);
    expect(pool.every((stored) => isIntact(store, stored))).toBe(true);
    await store.sweep(new Set());
    expect(await store.has(pool.map(({ id }) => id))).toEqual(new Set());
  });
});

test('H-4 a sweep that fails at its last flush and leaves its file behind cannot undo later commits', async () => {
  const disk = new SimulatedDisk();
  const store = await LogStore.open(disk);
  await store.put(pool);
  disk.failures = ['pass flush', 'flush', 'remove'];
  await expect(store.sweep(new Set([object(1).id]))).rejects.toMatchObject({ code: 'storage-full' });
  expect(await disk.generations()).toHaveLength(2);
  await store.commit({ objects: [], refs: [{ name: 'head', value: 'later' }] });
  const all = { refs: new Map([['head', 'later']]), objects: new Set(pool.keys()) };
  expect(keeps(await LogStore.open(disk), all)).toBe(true);
});

describe('damage on the disk', () => {
  /** One commit per object; answers where each of them starts. */
  async function filledDisk(): Promise<{ disk: SimulatedDisk; starts: number[] }> {
    const disk = new SimulatedDisk();
    const store = await LogStore.open(disk);
    const starts: number[] = [];
    for (const [n, stored] of pool.entries()) {
      starts.push(store.sizeBytes);
      await store.commit({ objects: [stored], refs: [{ name: `ref/${n}`, value: 'x' }] });
    }
    await store.close();
    return { disk, starts };
  }

  test('H-4 costs only the commit that it hit', async () => {
    const where = fc.record({
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      mask: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(where, async ({ at, mask }) => {
        const { disk, starts } = await filledDisk();
        // The fourth byte is the version of the format: another one is refused, not repaired.
        const offset = Math.max(4, Math.floor(at * disk.onlyFile.length));
        const hit = starts.findLastIndex((start) => start <= offset);
        disk.rot(offset, mask);
        const store = await LogStore.open(disk);
        for (const [n, stored] of pool.entries()) {
          const found = store.readSync(stored.id);
          if (n !== hit || found !== undefined) expect(found).toEqual(stored.bytes);
          if (n !== hit) expect(store.ref(`ref/${n}`)).toBe('x');
        }
      }),
      { numRuns: Math.min(runs, 1_000) },
    );
  });

  test('H-4 inside a commit of several parts, with a torn one after it, leaves no object that is only said to be there', async () => {
    const disk = new SimulatedDisk();
    const store = await LogStore.open(disk);
    const large = [1, 2, 3].map((seed) => sampleObject(seed, 2_500_000));
    await store.put([object(3)]);
    const start = store.sizeBytes;
    await store.put(large);
    disk.rot(start + 2_500_000 + 200, 255);
    // The power goes with the next write; all but one sector of the payload reaches the disk.
    disk.callsLeft = 1;
    await expect(store.put([object(11)])).rejects.toThrow();
    let sectors = 0;
    disk.restart(() => (sectors++ === 3 ? 0 : 1));
    const reopened = await LogStore.open(disk);
    expect(reopened.damage).toHaveLength(1);
    expect(await reopened.has([object(11).id])).toEqual(new Set());
    await reopened.put([...large, object(11)]);
    const again = await LogStore.open(disk);
    expect([...large, object(3), object(11)].every((stored) => isIntact(again, stored))).toBe(true);
  });

  test('an altered object is absent, named, and whole again once it is put again', async () => {
    const { disk, starts } = await filledDisk();
    disk.rot((starts[6] ?? 0) - 200, 1);
    const store = await LogStore.open(disk);
    expect(await store.get(object(5).id)).toBeUndefined();
    expect(store.corrupt).toEqual(new Set([object(5).id]));
    expect(await store.has([object(5).id])).toEqual(new Set());
    await store.put([object(5)]);
    expect(await store.get(object(5).id)).toEqual(object(5).bytes);
    expect(store.corrupt).toEqual(new Set());
  });

  test('H-9 an object that looks like a part of a log is not taken for it', async () => {
    const { disk } = await filledDisk();
    const store = await LogStore.open(disk);
    // A part of a longer log claims more to be durable than where the damage will be.
    const other = await filledDisk();
    const otherStore = await LogStore.open(other.disk);
    await otherStore.put([sampleObject(98, 3_000)]);
    const start = otherStore.sizeBytes;
    await otherStore.commit({ objects: [], refs: [{ name: 'head', value: 'forged' }] });
    const forged = sampleObject(99, 8_000);
    forged.bytes.set(other.disk.onlyFile.subarray(start), 6_000);
    const head = store.sizeBytes;
    await store.put([forged]);
    disk.rot(head + 20, 255);
    const reopened = await LogStore.open(disk);
    expect(reopened.ref('head')).toBeUndefined();
    expect(await reopened.has([forged.id])).toEqual(new Set());
    expect(pool.every((stored) => isIntact(reopened, stored))).toBe(true);
  });

  test('a store of another version is refused and not touched', async () => {
    const { disk } = await filledDisk();
    disk.rot(3, 0x31 ^ 0x32);
    const before = disk.onlyFile.slice();
    await expect(LogStore.open(disk)).rejects.toMatchObject({ code: 'version-mismatch' });
    expect(disk.onlyFile).toEqual(before);
  });
});
