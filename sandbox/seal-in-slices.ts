import type { TreeSnapshot } from '../tree/live/tree-snapshot.ts';
import { nextTask } from '../tree/next-task.ts';
import type { StoredObject } from '../tree/objects/object-store.ts';
import { sealSlices } from '../tree/objects/seal-tree.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';

/** A tree with the objects that are new in it. */
export interface SealedFiles {
  readonly sealed: SealedTree;
  readonly objects: readonly StoredObject[];
}

/** Seals a tree of which `previous` is stored. The guest and messages run between slices of hashing. */
export async function sealInSlices(
  snapshot: TreeSnapshot,
  previous: SealedTree | undefined,
): Promise<SealedFiles> {
  const objects: StoredObject[] = [];
  const slices = sealSlices(snapshot, { previous });
  for (let slice = slices.next(); ; slice = slices.next()) {
    if (slice.done) return { sealed: slice.value.sealed, objects };
    objects.push(...slice.value);
    await nextTask();
  }
}
