import {
  chmodSync,
  chownSync,
  closeSync,
  ftruncateSync,
  lchownSync,
  lutimesSync,
  openSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { treeLimits } from '../../../tree/limits.ts';
import { fileMode, isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import { isHole } from './data-ranges.ts';
import { exactTime, hostPath } from './folder-entry.ts';
import { folderLimits } from './limits.ts';
import type { OpenFolder } from './open-folder.ts';

const zeros = Buffer.alloc(treeLimits.extentBytes);

/** Makes a file or a link of `tree` at a path of the host that nothing has. @throws as the disk fails */
export function makeEntry(tree: LiveTree, path: ByteString, ino: Ino): void {
  const inode = tree.stat(ino);
  if (!inode) return;
  const made = hostPath(path);
  if (isSymlink(inode.mode)) symlinkSync(hostPath(inode.target ?? ''), made);
  else writeFile(tree, made, { ino, inode });
  setMetadata(made, inode);
}

function writeFile(
  tree: LiveTree,
  path: Buffer,
  { ino, inode: { mode, sizeBytes } }: { readonly ino: Ino; readonly inode: InodeView },
): void {
  const file = openSync(path, 'wx', mode & 0o777);
  try {
    const piece = Buffer.allocUnsafe(Math.min(sizeBytes, folderLimits.pieceBytes));
    for (let at = 0; at < sizeBytes; ) {
      const to = Math.min(at + piece.length, sizeBytes);
      if (isHole(tree, ino, { from: at, to })) {
        at = to;
        continue;
      }
      const size = checkTree(tree.read(ino, at, piece), 'a file');
      if (size === 0) break;
      writeData(file, piece.subarray(0, size), at);
      at += size;
    }
    ftruncateSync(file, sizeBytes);
  } finally {
    closeSync(file);
  }
}

/** Where all is zero, it leaves a hole. */
function writeData(file: number, bytes: Buffer, offset: number): void {
  for (let from = 0; from < bytes.length; from += zeros.length) {
    const part = bytes.subarray(from, from + zeros.length);
    if (part.equals(zeros.subarray(0, part.length))) continue;
    for (let sent = 0; sent < part.length; )
      sent += writeSync(file, part, sent, part.length - sent, offset + from + sent);
  }
}

/** Owners are only root's to give. */
export function setMetadata(
  path: Buffer,
  { mode, uid, gid, mtimeSeconds, mtimeNanoseconds }: InodeView,
): void {
  const isLink = isSymlink(mode);
  if (process.getuid?.() === 0) (isLink ? lchownSync : chownSync)(path, uid, gid);
  if (!isLink) chmodSync(path, mode & fileMode.permissions);
  if (isDirectory(mode)) return;
  const mtime = exactTime({ seconds: mtimeSeconds, nanoseconds: mtimeNanoseconds });
  (isLink ? lutimesSync : utimesSync)(path, mtime, mtime);
}

/** The same of an entry of the folder itself: something may have been mounted there meanwhile. @throws conflict */
export function setOwnMetadata(folder: OpenFolder, path: ByteString, inode: InodeView): void {
  const isSet = folder.withOwn(path, (at) => setMetadata(at, inode));
  if (!isSet) setMetadata(hostPath(path), inode);
}
