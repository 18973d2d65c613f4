import { nextTask } from '../next-task.ts';
import type { ObjectId } from '../objects/object-id.ts';
import { leavesAmong, objectReferences } from './object-references.ts';

/** What a walk over objects found. */
export interface ReachableObjects {
  /** Every object that was reached, whether it is there or not; one that refers to others comes before them. */
  readonly ids: ReadonlySet<ObjectId>;
  /** Objects that could not be read or decoded, so that what is behind them is unknown. */
  readonly broken: readonly ObjectId[];
}

/** Objects visited before other work of the thread may run. */
const sliceObjects = 512;

/**
 * Everything that `roots` refer to, themselves included. Chunks of long files and pages of memory are
 * listed without being read; what `skip` accepts is neither listed nor followed. Lets other work run in between.
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
