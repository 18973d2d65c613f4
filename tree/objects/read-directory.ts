import type { ByteString } from '../content/byte-string.ts';
import type { ObjectId } from '../content/object-id.ts';
import type { PageRef } from './directory.ts';
import { decodeDirectoryIndex, directoryFormat, isDirectoryIndex } from './directory.ts';
import type { GetObject } from './get-object.ts';
import { needObject } from './get-object.ts';
import { decodePage } from './pages.ts';
import type { TreeEntry } from './tree-entry.ts';

export interface ReadDirectoryOptions {
  /** Loads only the page that would hold this name. */
  readonly only?: ByteString;
  /** Skips these pages. */
  readonly except?: ReadonlySet<ObjectId>;
}

/**
 * The entries of a stored directory in the order of their names.
 * @throws RangeError when an object is missing or not canonical
 */
export async function readDirectory(
  get: GetObject,
  id: ObjectId,
  options: ReadDirectoryOptions = {},
): Promise<TreeEntry[]> {
  const bytes = await needObject(get, id);
  if (!isDirectoryIndex(bytes)) {
    return options.except?.has(id) ? [] : decodePage(bytes, directoryFormat, { isLast: true });
  }
  const pages = decodeDirectoryIndex(bytes);
  const entries: TreeEntry[] = [];
  for (const [index, page] of pages.entries()) {
    if (options.except?.has(page.id) || !couldHold(pages, index, options.only)) continue;
    const isLast = index === pages.length - 1;
    const held = decodePage(await needObject(get, page.id), directoryFormat, { isLast });
    const next = pages[index + 1]?.first;
    if (held[0]?.name !== page.first || (next !== undefined && (held[held.length - 1]?.name ?? '') >= next)) {
      throw new RangeError(`Cannot read directory ${id}: its index does not fit page ${page.id}`);
    }
    for (const entry of held) entries.push(entry);
  }
  return entries;
}

/** The ids of a directory's pages; of a small one, its own. @throws RangeError as `readDirectory` */
export async function directoryPages(get: GetObject, id: ObjectId): Promise<ObjectId[]> {
  const bytes = await needObject(get, id);
  return isDirectoryIndex(bytes) ? decodeDirectoryIndex(bytes).map((page) => page.id) : [id];
}

function couldHold(pages: readonly PageRef[], index: number, name: ByteString | undefined): boolean {
  if (name === undefined) return true;
  const next = pages[index + 1];
  return (pages[index]?.first ?? '') <= name && (next === undefined || name < next.first);
}
