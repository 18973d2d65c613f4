import { ByteReader } from '../content/byte-reader.ts';
import type { ByteString } from '../content/byte-string.ts';
import { ByteWriter } from '../content/byte-writer.ts';
import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import { checkName } from '../live/name-rules.ts';
import { storedObject } from './hash-object.ts';
import type { StoredObject } from './object-store.ts';
import type { PageFormat } from './pages.ts';
import type { TreeEntry } from './tree-entry.ts';
import { decodeTreeEntry, encodeTreeEntry } from './tree-entry.ts';

/** Directory pages: entries in the order of their names' bytes (OB-8). */
export const directoryFormat: PageFormat<TreeEntry> = {
  kind: objectKinds.directoryPage,
  what: 'directory page',
  key: (entry) => entry.name,
  encode: encodeTreeEntry,
  decode: decodeTreeEntry,
};

/** A page's id and the first name in it. */
export interface PageRef {
  readonly first: ByteString;
  readonly id: ObjectId;
}

/** The directory with nothing in it: a page without entries. */
export const emptyDirectory: StoredObject = storedObject(new Uint8Array([objectKinds.directoryPage]));

/** The object that names all pages of a directory that has more than one (OB-11). */
export function encodeDirectoryIndex(pages: readonly PageRef[]): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(objectKinds.directoryIndex);
  for (const page of pages) {
    writer.text(page.first);
    writer.id(page.id);
  }
  return writer.finish();
}

/** @throws RangeError on anything that `encodeDirectoryIndex` does not write */
export function decodeDirectoryIndex(bytes: Uint8Array): PageRef[] {
  const reader = new ByteReader(bytes, 'directory index');
  reader.kind(objectKinds.directoryIndex);
  const pages: PageRef[] = [];
  let last = '';
  while (!reader.atEnd) {
    const first = reader.text(treeLimits.nameBytes);
    if (checkName(first) < 0 || first <= last) reader.refuse('its names are not in order');
    pages.push({ first, id: reader.id() });
    if (pages.length > treeLimits.pages) reader.refuse('it has too many pages');
    last = first;
  }
  if (pages.length < 2) reader.refuse('it has fewer than two pages');
  return pages;
}

/** Whether these bytes are an index rather than the only page of a directory. */
export function isDirectoryIndex(bytes: Uint8Array): boolean {
  return bytes[0] === objectKinds.directoryIndex;
}
