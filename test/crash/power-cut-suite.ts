import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogDirectory } from '../../tree/log-store/log-file.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import { sampleObject } from '../conformance/sample-objects.ts';
import type { Choose } from './simulated-file.ts';
import {
  apply,
  isIntact,
  keeps,
  type Operation,
  object,
  operation,
  type Promised,
  pool,
  promisedAfter,
} from './store-operations.ts';

const runs = Number(process.env.COPPICE_PROPERTY_RUNS ?? 300);

export interface PowerCutSubject {
  readonly name: string;
  /** A new disk, and the folder of one sandbox on it. */
  create(): CrashFolder | Promise<CrashFolder>;
}

interface CrashFolder {
  readonly disk: CrashDisk;
  readonly directory: LogDirectory;
}

/** A disk whose power goes at a chosen call. */
export interface CrashDisk {
  /** Calls that reach the disk before the power goes. */
  callsLeft: number;
  /** Gives the power back; of what was not durable, `choose` says what is there. */
  restart(choose: Choose): void;
}

/** What a log keeps of its promises when the power goes, on any disk. */
export function powerCutSuite(subject: PowerCutSubject): void {
  describe(`a power cut, ${subject.name}`, () => {
    test(
      'H-4 at any call leaves the last acknowledged commit or the one under way, never else',
      async () => {
        const arbitrary = fc.record({
          operations: fc.array(operation, { minLength: 1, maxLength: 8 }),
          cutAfter: fc.nat({ max: 40 }),
          fate: fc.infiniteStream(fc.nat({ max: 5 })),
        });
        await fc.assert(
          fc.asyncProperty(arbitrary, async ({ operations, cutAfter, fate }) => {
            const choose = (bound: number) => (fate.next().value ?? 0) % bound;
            const { disk, directory } = await subject.create();
            let promised: Promised = { refs: new Map(), objects: new Set() };
            let underWay = promised;
            disk.callsLeft = cutAfter;
            try {
              let store = await LogStore.open(directory);
              for (const next of operations) {
                underWay = promisedAfter(promised, next);
                store = await apply(store, next, directory);
                promised = underWay;
              }
            } catch (error) {
              if (disk.callsLeft > 0) throw error;
            }
            disk.restart(choose);
            const reopened = await LogStore.open(directory);
            const isPromised = keeps(reopened, promised);
            expect(isPromised || keeps(reopened, underWay)).toBe(true);
            expect(reopened.damage).toEqual([]);
            // And the store goes on from there, as one that never crashed.
            const found = isPromised ? promised : underWay;
            const next: Operation = { type: 'commit', objects: [3, 11], ref: 'head', value: 'later' };
            await apply(reopened, next, directory);
            disk.restart(choose);
            expect(keeps(await LogStore.open(directory), promisedAfter(found, next))).toBe(true);
          }),
          { numRuns: runs },
        );
      },
      60_000 + 10 * runs,
    );

    test('H-4 during a commit of several parts leaves all of it or nothing', async () => {
      const large = [1, 2, 3].map((seed) => sampleObject(seed, 2_500_000));
      const refs = [{ name: 'head', value: 'large' }];
      for (const cut of [1, 2, 3, 4, 5]) {
        for (const fate of [0, 1, 2]) {
          const { disk, directory } = await subject.create();
          const store = await LogStore.open(directory);
          await store.commit({ objects: [object(1)], refs: [{ name: 'head', value: 'small' }] });
          disk.callsLeft = cut;
          await store.commit({ objects: large, refs }).catch(() => undefined);
          const isAcknowledged = disk.callsLeft > 0;
          disk.restart((bound) => fate % bound);
          const reopened = await LogStore.open(directory);
          const isWhole = reopened.ref('head') === 'large';
          expect(isWhole || !isAcknowledged).toBe(true);
          const present = await reopened.has(large.map(({ id }) => id));
          expect(present.size).toBe(isWhole ? large.length : 0);
          if (isWhole) expect(large.every((stored) => isIntact(reopened, stored))).toBe(true);
          await reopened.sweep(new Set(large.slice(1).map(({ id }) => id)));
          disk.restart(() => 0);
          const swept = await LogStore.open(directory);
          expect(swept.ref('head')).toBe(isWhole ? 'large' : 'small');
          expect(large.slice(1).every((stored) => isIntact(swept, stored))).toBe(isWhole);
        }
      }
    });

    test('H-4 during any call of a sweep loses no live object and no ref', async () => {
      for (let cut = 1; ; cut++) {
        const { disk, directory } = await subject.create();
        const store = await LogStore.open(directory);
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
          expect(keeps(await LogStore.open(directory), promised)).toBe(true);
        }
        if (isWhole) return;
      }
    });
  });
}
