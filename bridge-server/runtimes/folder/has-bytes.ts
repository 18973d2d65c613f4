import { closeSync, readSync } from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import { targetOf } from './aside.ts';
import { openToRead, statOf } from './folder-entry.ts';
import { folderLimits } from './limits.ts';

/** Whether what is at a path of the host is the file or link that a tree has, byte for byte. @throws as the disk and the store fail */
export function isAsInTree(path: ByteString, tree: LiveTree, ino: Ino): boolean {
  const [stat, inode] = [statOf(path), tree.stat(ino)];
  if (!stat || !inode || Number(stat.mode) >> 12 !== inode.mode >> 12) return false;
  if (isSymlink(inode.mode)) return targetOf(path) === inode.target;
  return isFile(inode.mode) && Number(stat.size) === inode.sizeBytes && hasBytes(path, tree, ino);
}

/** Whether a file on disk has the bytes of the tree's, which is as large. */
export function hasBytes(path: ByteString, tree: LiveTree, ino: Ino): boolean {
  const sizeBytes = tree.stat(ino)?.sizeBytes ?? 0;
  const pieceBytes = Math.min(folderLimits.pieceBytes, sizeBytes);
  const [disk, stored] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)];
  const file = openToRead(path);
  if (file === undefined) return false;
  try {
    for (let at = 0; at < sizeBytes; ) {
      const size = readSync(file, disk, 0, disk.length, at);
      const piece = stored.subarray(0, size);
      if (size === 0 || checkTree(tree.read(ino, at, piece), 'a file') !== size) return false;
      if (!piece.equals(disk.subarray(0, size))) return false;
      at += size;
    }
    return true;
  } finally {
    closeSync(file);
  }
}
