import type { ByteString } from '../content/byte-string.ts';
import { decodeChunkList } from '../content/chunk-list.ts';
import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { decodeDirectoryIndex, directoryFormat } from './directory.ts';
import type { StoredObject } from './object-store.ts';
import { decodePage } from './pages.ts';
import { contentId } from './tree-entry.ts';
import { decodeTreeRoot } from './tree-root.ts';

/** A reference, and the older reference in the same place. */
export type Counterpart = readonly [after: ObjectId, before: ObjectId];

/**
 * Pairs the references of a tree object with those of its older version in the same place: under the same name, at
 * the same place of a file. Most are similar, some equal.
 * @throws RangeError when one of them is not canonical
 */
export function counterparts(after: Uint8Array, before: StoredObject): Counterpart[] {
  const kind = after[0];
  if (kind === objectKinds.directoryIndex) return pageCounterparts(after, before);
  // A file that grew past one chunk still begins with it.
  if (kind === objectKinds.chunkList && before.bytes[0] === objectKinds.chunk) {
    const first = decodeChunkList(after).slots[0];
    return first === undefined ? [] : [[first, before.id]];
  }
  if (kind !== before.bytes[0]) return [];
  const places = placesOf(before.bytes);
  return [...placesOf(after)].flatMap(([place, id]): Counterpart[] => {
    const was = places.get(place);
    return was === undefined ? [] : [[id, was]];
  });
}

/** Page boundaries move when names come and go: the older page is the one that would contain the first name. */
function pageCounterparts(after: Uint8Array, before: StoredObject): Counterpart[] {
  const old = pagesOf(before);
  let at = 0;
  return pagesOf({ id: before.id, bytes: after }).flatMap(({ first, id }): Counterpart[] => {
    for (let next = old[at + 1]; next !== undefined && next.first <= first; next = old[at + 1]) at += 1;
    const was = old[at];
    return was === undefined ? [] : [[id, was.id]];
  });
}

/** The pages of a directory; a small directory is its only page. */
function pagesOf({ id, bytes }: StoredObject): { readonly first: ByteString; readonly id: ObjectId }[] {
  if (bytes[0] === objectKinds.directoryIndex) return decodeDirectoryIndex(bytes);
  return bytes[0] === objectKinds.directoryPage ? [{ first: '', id }] : [];
}

/** References of an object, each under a stable key. */
function placesOf(bytes: Uint8Array): Map<string, ObjectId> {
  const places = new Map<string, ObjectId>();
  const add = (place: string, id: ObjectId | undefined): void => {
    if (id !== undefined) places.set(place, id);
  };
  if (bytes[0] === objectKinds.directoryPage) {
    for (const entry of decodePage(bytes, directoryFormat, { isLast: true }))
      add(entry.name, contentId(entry));
  } else if (bytes[0] === objectKinds.chunkList) {
    const { level, slots } = decodeChunkList(bytes);
    for (const [index, id] of slots.entries()) add(`${level} ${index}`, id);
  } else if (bytes[0] === objectKinds.treeRoot) {
    const { entry, links } = decodeTreeRoot(bytes);
    add('/', entry.directory);
    for (const [index, id] of links.entries()) add(`link ${index}`, id);
  }
  return places;
}
