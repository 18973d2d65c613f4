import { contentChunks } from '../content/file-content.ts';
import { DirectoryMap } from '../live/directory-map.ts';
import type { Ino } from '../live/file-tree.ts';
import { Inode } from '../live/inode.ts';
import type { Link } from '../live/link-list.ts';
import type { TreeEntry } from './tree-entry.ts';

/** The inode of a stored entry; of a directory, without its names. */
export function entryInode(
  entry: TreeEntry,
  { ino, epoch, link }: { ino: Ino; epoch: number; link: Link },
): Inode {
  const { mode, uid, gid, rdev, target } = entry;
  const inode = new Inode(ino, epoch, {
    mode,
    uid,
    gid,
    nlink: entry.directory ? 2 : 1,
    rdev,
    link,
    target,
    entries: entry.directory ? new DirectoryMap() : undefined,
    extents: undefined,
  });
  inode.setTimes({ seconds: entry.mtimeSeconds, nanoseconds: entry.mtimeNanoseconds });
  if (entry.xattrs.size > 0) {
    inode.xattrs = entry.xattrs;
    for (const [name, value] of entry.xattrs) inode.xattrBytes += name.length + value.length;
  }
  if (entry.content) {
    inode.fileBytes = entry.sizeBytes;
    inode.content = entry.content;
    inode.extentCount = contentChunks(entry.content);
  }
  return inode;
}
