import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { decodeMemoryHead } from '../../tree/history/memory-head.ts';
import { applyTreeDelta } from '../../tree/objects/apply-tree-delta.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { decodeTreeDelta } from '../../tree/objects/tree-delta.ts';
import type { ObjectSource } from '../object-source.ts';

/** A tree with the numbers that its machine knows its files by. */
export interface RunningTree {
  readonly sealed: SealedTree;
  /** The stored tree that the numbers come from. */
  readonly base: SealedTree;
}

/**
 * The tree of a snapshot whose machine ran. Files that were removed and are open are in it.
 * @throws corrupt-object where the memory image is of another tree; missing-object
 */
export function loadRunningTree(
  { tree, memory }: { readonly tree: ObjectId; readonly memory: ObjectId },
  source: ObjectSource,
): RunningTree {
  const delta = () => decodeMemoryHead(source.verified(memory)).tree;
  return makeRunningTree({ tree, delta }, { source });
}

/** The tree that a delta makes. `known`: the tree that it may differ from. @throws as `loadRunningTree` does */
export function makeRunningTree(
  { tree, delta: deltaId }: { readonly tree: ObjectId; readonly delta: () => ObjectId },
  { source, known }: { readonly source: ObjectSource; readonly known?: SealedTree | undefined },
): RunningTree {
  try {
    const delta = decodeTreeDelta(source.verified(deltaId()));
    const base = known?.id === delta.base && known.isLoaded ? known : source.loadTree(delta.base).sealed;
    const sealed = applyTreeDelta(delta, base);
    if (sealed.id === tree) return { sealed, base };
    throw new RangeError('it is of other files');
  } catch (cause) {
    if (!(cause instanceof RangeError || cause instanceof TypeError)) throw cause;
    const message = `Cannot start the machine from its memory: ${cause.message}`;
    throw new SandboxError('corrupt-object', message, { cause });
  }
}
