import type { ObjectId } from '../content/object-id.ts';
import { nextTask } from '../next-task.ts';
import { leavesAmong, objectReferences } from './object-references.ts';

/** The result of a walk over objects. */
export interface ReachableObjects {
  /** Every id that was reached, whether the object exists or not; an object comes before those that it refers to. */
  readonly ids: ReadonlySet<ObjectId>;
  /** Objects that could not be read or decoded, so that the walk could not continue below them. */
  readonly broken: readonly ObjectId[];
}

/** Objects visited between two yields to other work of the thread. */
const sliceObjects = 512;

/**
 * Everything that `roots` refer to, themselves included. Chunks of long files and pages of memory are listed
 * without being read; what `skip` accepts is neither listed nor followed. Yields to other work of the thread.
 */
export async function reachableObjects(
  roots: Iterable<ObjectId>,
  options: {
    readonly read: (id: ObjectId) => Uint8Array | undefined;
    readonly skip?: ((id: ObjectId) => boolean) | undefined;
  },
): Promise<ReachableObjects> {
  const { read, skip } = options;
  const ids = new Set<ObjectId>();
  const broken: ObjectId[] = [];
  const open: ObjectId[] = [...roots].reverse();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (ids.has(id) || skip?.(id)) continue;
    ids.add(id);
    if (ids.size % sliceObjects === 0) await nextTask();
    const bytes = read(id);
    const references = bytes && referencesOf(bytes);
    if (bytes === undefined || references === undefined) {
      broken.push(id);
      continue;
    }
    const leaves = new Set(leavesAmong(references, bytes));
    for (const leaf of leaves) if (!skip?.(leaf)) ids.add(leaf);
    for (const reference of references.toReversed()) if (!leaves.has(reference)) open.push(reference);
  }
  return { ids, broken };
}

function referencesOf(bytes: Uint8Array): ObjectId[] | undefined {
  try {
    return objectReferences(bytes);
  } catch {
    return undefined;
  }
}
