import { closeSync, fstatSync, readSync } from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import { targetOf } from './aside.ts';
import { dataRanges, isHole } from './data-ranges.ts';
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
  const file = openToRead(path);
  if (file === undefined) return false;
  const pieceBytes = Math.min(folderLimits.pieceBytes, sizeBytes);
  const [disk, stored] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)];
  const isSame = (at: number, size: number) =>
    checkTree(tree.read(ino, at, stored.subarray(0, size)), 'a file') === size &&
    stored.subarray(0, size).equals(disk.subarray(0, size));
  const isEmpty = (from: number, to: number) => {
    for (let at = from; at < to; at += pieceBytes) {
      const size = Math.min(pieceBytes, to - at);
      if (isHole(tree, ino, { from: at, to: at + size })) continue;
      disk.fill(0);
      if (!isSame(at, size)) return false;
    }
    return true;
  };
  try {
    let at = 0;
    for (const { from, to } of dataRanges(file, fstatSync(file, { bigint: true }))) {
      if (!isEmpty(at, from)) return false;
      for (at = from; at < Math.min(to, sizeBytes); ) {
        const size = readSync(file, disk, 0, Math.min(pieceBytes, sizeBytes - at), at);
        if (size === 0 || !isSame(at, size)) return false;
        at += size;
      }
    }
    return isEmpty(at, sizeBytes);
  } finally {
    closeSync(file);
  }
}
