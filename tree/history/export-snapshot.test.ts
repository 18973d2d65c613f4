import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { collect, each, SnapshotOrigin } from '../../test/tree/snapshot-origin.ts';
import { hashObject } from '../objects/hash-object.ts';
import { MemoryStore } from '../objects/memory-store.ts';
import { exportSnapshot } from './export-snapshot.ts';
import { importObjects } from './import-objects.ts';
import type { SnapshotId } from './snapshot-record.ts';

/** 20 folders of 20 files of 4 KiB, as a project has them, and a line altered in one of each folder. */
async function editedProject(): Promise<{ origin: SnapshotOrigin; before: SnapshotId; after: SnapshotId }> {
  const origin = new SnapshotOrigin();
  const line = (file: number, at: number) =>
    `const value_${file * at} = compute(${at}, ${(file * 7919) % 1000});\n`;
  const lines = (file: number) => Array.from({ length: 100 }, (_, at) => line(file, at));
  const put = (file: number, content: string) =>
    origin.put(`part-${Math.floor(file / 20)}`, `file-${file}.js`, new TextEncoder().encode(content));
  for (let file = 0; file < 400; file++) put(file, lines(file).join(''));
  const before = await origin.snapshot();
  for (let file = 0; file < 400; file += 20)
    put(file, lines(file).join('').replace('compute(50', 'computeAgain(50'));
  return { origin, before, after: await origin.snapshot() };
}

describe('a stream for a receiver that has an older snapshot', () => {
  test('B-9 an edit of 20 files of 4 KiB is less than 120 bytes each', async () => {
    const { origin, before, after } = await editedProject();
    const snapshotExport = await origin.snapshotExport(after, before);
    expect(snapshotExport.length).toBeLessThan(2_400);
    const store = await origin.receiver(before);
    const imported = await importObjects(each([snapshotExport]), store);
    expect([imported.root, imported.objectCount]).toEqual([after, 48]);
    for (const id of await origin.below(after))
      expect(store.readSync(id), id).toEqual(origin.store.readSync(id));
  });

  test('B-9 without any object to compare with, it is whole and deflated', async () => {
    const { origin, before, after } = await editedProject();
    const shorten = { root: before, read: () => undefined };
    const snapshotExport = await collect(exportSnapshot(origin.store, after, { shorten }));
    expect(snapshotExport.length).toBeLessThan(500_000);
    const imported = await importObjects(each([snapshotExport]), new MemoryStore());
    expect([imported.root, imported.sizeBytes > 1_400_000]).toEqual([after, true]);
  });

  test('SN-9 SN-12 what arrives is what was sent, whatever changed', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const pieces = fc.array(fc.tuple(fc.nat(3), fc.nat(20_000), fc.integer({ min: 1, max: 12_000 })), {
      maxLength: 6,
    });
    const content = pieces.map((list) =>
      Buffer.concat(
        list.map(([seed, from, count]) => sampleObject(seed, 40_000).bytes.subarray(from, from + count)),
      ),
    );
    const change = fc.record({ folder: name, name, content: fc.option(content, { freq: 4 }) });
    const changes = fc.array(change, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        changes,
        changes,
        fc.integer({ min: 1, max: 5_000 }),
        async (first, second, length) => {
          const origin = new SnapshotOrigin();
          const make = (list: typeof first) => {
            for (const each of list) {
              if (each.content) origin.put(each.folder, each.name, each.content);
              else origin.remove(each.folder, each.name);
            }
            return origin.snapshot();
          };
          const [before, after] = [await make(first), await make(second)];
          const snapshotExport = await origin.snapshotExport(after, before);
          const store = await origin.receiver(before);
          const cut = Array.from({ length: Math.ceil(snapshotExport.length / length) }, (_, at) =>
            snapshotExport.subarray(at * length, (at + 1) * length),
          );
          expect((await importObjects(each(cut), store)).root).toBe(after);
          for (const id of await origin.below(after)) {
            expect(hashObject(store.readSync(id) ?? new Uint8Array(0))).toBe(id);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
