import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeReferences } from '../objects/references.ts';
import { treeDeltaReferences } from '../objects/tree-delta.ts';
import { decodeCheckpoint } from './checkpoint-codec.ts';
import { decodeMemoryHead } from './memory-head.ts';
import { decodeSnapshot } from './snapshot-codec.ts';

/**
 * The ids that an object refers to, which a walk over a snapshot follows. A record's parents are not among them.
 * @throws RangeError when the object is not canonical
 */
export function objectReferences(bytes: Uint8Array): ObjectId[] {
  switch (bytes[0]) {
    case objectKinds.snapshotRecord: {
      const { tree, memory, extensions = {} } = decodeSnapshot(bytes);
      const others = Object.values(extensions).flatMap(({ objects }) => objects);
      return memory === undefined ? [tree, ...others] : [tree, memory, ...others];
    }
    case objectKinds.memoryImage: {
      const { tree, bundles } = decodeMemoryHead(bytes);
      return [tree, ...bundles];
    }
    case objectKinds.checkpoint:
      return [decodeCheckpoint(bytes).record];
    case objectKinds.pageBundle:
    case objectKinds.outputBatch:
      return [];
    case objectKinds.treeDelta:
      return treeDeltaReferences(bytes);
    default:
      return treeReferences(bytes);
  }
}

/**
 * Which of an object's `references` refer to nothing themselves, so that a walk need not read them; they are the
 * large ones.
 */
export function leavesAmong(references: readonly ObjectId[], bytes: Uint8Array): readonly ObjectId[] {
  const isLowestList = bytes[0] === objectKinds.chunkList && bytes[1] === 0;
  if (isLowestList) return references;
  return bytes[0] === objectKinds.memoryImage ? references.slice(1) : [];
}
