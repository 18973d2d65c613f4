import type { ContentSource } from '../content/content-source.ts';
import type { ObjectId } from '../content/object-id.ts';
import type { PageRef } from './directory.ts';
import { decodeDirectoryIndex, directoryFormat, isDirectoryIndex } from './directory.ts';
import { decodePage, endsPage } from './pages.ts';
import type { SealedGroup } from './sealed-tree.ts';
import type { TreeEntry } from './tree-entry.ts';

/**
 * A stored directory: its entries by their names' bytes, and the groups that a seal starts from.
 * @throws RangeError when an object is not canonical, and what `source` throws
 */
export function readSealedDirectory(
  source: ContentSource,
  id: ObjectId,
): { entries: TreeEntry[]; groups: SealedGroup[] } {
  const bytes = source.read(id);
  const entries: TreeEntry[] = [];
  const groups: SealedGroup[] = [];
  let names: string[] = [];
  let pages: PageRef[] = [];
  const take = (page: readonly TreeEntry[], ref: PageRef): void => {
    if ((page[0]?.name ?? '') !== ref.first)
      throw new RangeError(`Cannot load directory ${id}: its index is wrong`);
    for (const entry of page) {
      if (entry.name <= (entries[entries.length - 1]?.name ?? '')) {
        throw new RangeError(`Cannot load directory ${id}: its pages are not in order`);
      }
      entries.push(entry);
      names.push(entry.name);
    }
    pages.push(ref);
    if (endsPage(names[names.length - 1] ?? '')) {
      groups.push({ names, pages });
      names = [];
      pages = [];
    }
  };
  if (isDirectoryIndex(bytes)) {
    const index = decodeDirectoryIndex(bytes);
    index.forEach((ref, at) => {
      const isLast = at === index.length - 1;
      take(decodePage(source.read(ref.id), directoryFormat, { isLast }), ref);
    });
  } else {
    const page = decodePage(bytes, directoryFormat, { isLast: true });
    if (page.length > 0) take(page, { first: page[0]?.name ?? '', id });
  }
  if (names.length > 0) groups.push({ names, pages });
  return { entries, groups };
}
