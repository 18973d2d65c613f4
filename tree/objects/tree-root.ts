import { ByteReader } from '../content/byte-reader.ts';
import { ByteWriter } from '../content/byte-writer.ts';
import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import { isDirectory } from '../live/file-mode.ts';
import type { TreeEntry } from './tree-entry.ts';
import { decodeTreeEntry, encodeTreeEntry } from './tree-entry.ts';

/** The object whose id names a whole tree (OB-14). */
export interface TreeRoot {
  /** The root directory; its name is empty. */
  readonly entry: TreeEntry & { readonly directory: ObjectId };
  /** Pages of the list of hard links, in order. */
  readonly links: readonly ObjectId[];
}

/** The canonical form of a tree root. */
export function encodeTreeRoot(root: TreeRoot): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(objectKinds.treeRoot);
  encodeTreeEntry(root.entry, writer);
  for (const id of root.links) writer.id(id);
  return writer.finish();
}

/** @throws RangeError on anything that `encodeTreeRoot` does not write */
export function decodeTreeRoot(bytes: Uint8Array): TreeRoot {
  const reader = new ByteReader(bytes, 'tree root');
  reader.kind(objectKinds.treeRoot);
  const entry = decodeTreeEntry(reader, { isRoot: true });
  const { directory } = entry;
  if (!isDirectory(entry.mode) || directory === undefined) return reader.refuse('it is not a directory');
  const links: ObjectId[] = [];
  while (!reader.atEnd) {
    links.push(reader.id());
    if (links.length > treeLimits.pages) reader.refuse('it has too many pages of hard links');
  }
  return { entry: { ...entry, directory }, links };
}
