import { describe, expect, test } from 'vitest';
import { SnapshotOrigin } from '../../test/tree/snapshot-origin.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { MemoryStore } from '../../tree/objects/memory-store.ts';
import { type ExportParts, openSnapshotExport } from './export-stream.ts';

const otherImage: ExportParts['image'] = {
  tree: 'f'.repeat(64) as ObjectId,
  has: () => false,
  read: () => new Uint8Array(0),
};

/** Three snapshots of a file of 30 kB that nothing makes shorter: `near` is a byte away from the last, `far` all of it. */
async function threeSnapshots() {
  const origin = new SnapshotOrigin();
  const content = crypto.getRandomValues(new Uint8Array(30_000));
  origin.put('folder', 'file', content.toReversed());
  const far = await origin.snapshot();
  origin.put('folder', 'file', content);
  const near = await origin.snapshot();
  origin.put('folder', 'file', content.with(9_000, (content[9_000] ?? 0) ^ 1));
  return { origin, far, near, id: await origin.snapshot() };
}

async function exportBytes(
  store: MemoryStore,
  id: SnapshotId,
  { image = otherImage, have = [] }: { image?: ExportParts['image']; have?: readonly SnapshotId[] },
): Promise<number> {
  const history = History.open(store, { isElsewhere: image.has });
  const snapshotExport = await openSnapshotExport(id, {
    store,
    history,
    image,
    have,
    assertOpen: () => undefined,
  });
  let sizeBytes = 0;
  for (let piece = await snapshotExport.read(); piece; piece = await snapshotExport.read())
    sizeBytes += piece.bytes.length;
  await snapshotExport.close();
  return sizeBytes;
}

describe('an export', () => {
  test('B-9 is made against the nearest of the snapshots that the receiver has', async () => {
    const { origin, far, near, id } = await threeSnapshots();
    const stranger = 'e'.repeat(64) as SnapshotId;
    const isShort = async (have: readonly SnapshotId[]) =>
      (await exportBytes(origin.store, id, { have })) < 500;
    expect(await isShort([far, near])).toBe(true);
    expect(await isShort([near, far, stranger])).toBe(true);
    expect(await isShort([far])).toBe(false);
    expect(await isShort([stranger])).toBe(false);
    expect(await isShort([])).toBe(false);
  });

  test('B-9 is made against the image where there is no such snapshot, and does without what cannot be had', async () => {
    const { origin, near, id } = await threeSnapshots();
    const ids = await origin.below(near);
    const tree = History.open(origin.store).get(near).tree;
    const has = (object: ObjectId) => ids.has(object) && object !== near;
    const read = (object: ObjectId) => origin.store.readSync(object) ?? new Uint8Array(0);
    const unread = () => {
      throw new Error('It cannot be fetched');
    };
    expect(await exportBytes(origin.store, id, { image: { tree, has, read } })).toBeLessThan(500);

    // The image's objects are not in the store of a sandbox.
    const apart = await origin.receiver(id);
    await apart.sweep(new Set([...(await origin.below(id))].filter((object) => !has(object))));
    await apart.commit({
      objects: [],
      refs: origin.store.refs('').map(([name, value]) => ({ name, value })),
    });
    const bytes = await exportBytes(apart, id, { image: { tree, has, read: unread } });
    expect(bytes).toBeGreaterThan(30_000);
  });
});
