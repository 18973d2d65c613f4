import { setImmediate as breathe } from 'node:timers/promises';
import type { StepReport } from '../../host/progress.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sealSlices } from '../../tree/objects/seal-tree.ts';

/** An image's files as objects, in the order of a walk through the tree. */
export interface SealedRoot {
  readonly tree: ObjectId;
  readonly objects: readonly StoredObject[];
}

/** The most that the files of an image may hold. */
export const maxImageBytes: number = 8 * 1024 ** 3;

/** An empty tree to build an image in. Its clock stands still: no time of the build can get in. */
export function createRootTree(): LiveTree {
  return new LiveTree({ totalBytes: maxImageBytes, clock: () => ({ seconds: 0, nanoseconds: 0 }) });
}

/** Hashes a tree into objects, and lets others run in between. */
export async function sealRoot(tree: LiveTree, report: StepReport): Promise<SealedRoot> {
  const { usedBytes } = tree.usage();
  const objects: StoredObject[] = [];
  let doneBytes = 0;
  const slices = sealSlices(tree.snapshot());
  for (let slice = slices.next(); ; slice = slices.next()) {
    if (slice.done) return { tree: slice.value.sealed.id, objects };
    for (const object of slice.value) {
      objects.push(object);
      doneBytes += object.bytes.length;
    }
    report.bytes(doneBytes, usedBytes);
    await breathe();
  }
}
