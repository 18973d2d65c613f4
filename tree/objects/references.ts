import { decodeChunkList } from '../content/chunk-list.ts';
import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { decodeDirectoryIndex, directoryFormat } from './directory.ts';
import { decodePage } from './pages.ts';
import type { TreeEntry } from './tree-entry.ts';
import { contentId } from './tree-entry.ts';
import { decodeTreeRoot } from './tree-root.ts';

/**
 * The ids that a tree object names directly, in order; for `gc`, sync and export. Objects of the
 * history and of memory images have their own.
 * @throws RangeError when the object is not canonical, or is not one of a tree
 */
export function treeReferences(bytes: Uint8Array): ObjectId[] {
  switch (bytes[0]) {
    case objectKinds.chunk:
    case objectKinds.linkPage:
      return [];
    case objectKinds.chunkList:
      return decodeChunkList(bytes).slots.filter((id) => id !== undefined);
    case objectKinds.directoryPage:
      return decodePage(bytes, directoryFormat, { isLast: true }).flatMap(entryReferences);
    case objectKinds.directoryIndex:
      return decodeDirectoryIndex(bytes).map((page) => page.id);
    case objectKinds.treeRoot: {
      const root = decodeTreeRoot(bytes);
      return [...entryReferences(root.entry), ...root.links];
    }
    default:
      throw new RangeError(`Cannot list what an object refers to: its kind is ${bytes[0]}`);
  }
}

function entryReferences(entry: TreeEntry): ObjectId[] {
  const id = contentId(entry);
  return id === undefined ? [] : [id];
}
