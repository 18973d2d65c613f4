import { objectKinds } from '../objects/kinds.ts';
import type { ObjectId } from '../objects/object-id.ts';
import { treeReferences } from '../objects/references.ts';
import { decodeSnapshot } from './snapshot-codec.ts';

/**
 * The ids that an object needs to be whole: what a walk over a snapshot follows. A record's parents
 * are not among them. A memory image refers to nothing.
 * @throws RangeError when the object is not canonical
 */
export function objectReferences(bytes: Uint8Array): ObjectId[] {
  switch (bytes[0]) {
    case objectKinds.snapshotRecord: {
      const { tree, memory } = decodeSnapshot(bytes);
      return memory === undefined ? [tree] : [tree, memory];
    }
    case objectKinds.memoryImage:
      return [];
    default:
      return treeReferences(bytes);
  }
}

/** Whether all that `bytes` refers to is chunks, which refer to nothing: the lowest list of a long file. */
export function refersToChunksOnly(bytes: Uint8Array): boolean {
  return bytes[0] === objectKinds.chunkList && bytes[1] === 0;
}
