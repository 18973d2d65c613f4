import type { FileContent } from '../content/file-content.ts';
import type { Inode } from '../live/inode.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import { ObjectBatch } from './object-batch.ts';
import type { StoredObject } from './object-store.ts';
import { sealFile } from './seal-file.ts';

/** Stores the content of removed files that are still open, which no sealed tree contains. Costs their size. */
export function sealUnlinked({ inodes, unlinked }: TreeSnapshot): {
  readonly objects: readonly StoredObject[];
  readonly contents: ReadonlyMap<Inode, FileContent>;
} {
  const batch = new ObjectBatch(Number.POSITIVE_INFINITY);
  const contents = new Map<Inode, FileContent>();
  unlinked.forEach((_, ino) => {
    const inode = inodes.get(ino);
    if (!inode?.extents && !inode?.content) return;
    const content = sealFile(inode, batch, { extents: [], files: [] }).next();
    if (content.done) contents.set(inode, content.value);
  });
  return { objects: batch.take(), contents };
}
