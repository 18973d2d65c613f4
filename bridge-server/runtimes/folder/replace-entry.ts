import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  lchownSync,
  lutimesSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { fileMode, isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { checkTree } from '../../roots/collect/check-tree.ts';
import { hostPath } from './folder-entry.ts';
import { folderLimits } from './limits.ts';

/** Writes a file or a link of `tree` beside its place on the host, and moves it there. @throws as the disk fails */
export function replaceEntry(tree: LiveTree, path: ByteString, ino: Ino): void {
  const inode = tree.stat(ino);
  if (!inode) return;
  // Of a length that fits wherever the name itself does.
  const made = hostPath(`${path.slice(0, path.lastIndexOf('/'))}/.coppice-${randomBytes(6).toString('hex')}`);
  try {
    if (isSymlink(inode.mode)) symlinkSync(hostPath(inode.target ?? ''), made);
    else writeFile(tree, made, { ino, inode });
    setMetadata(made, inode);
    renameSync(made, hostPath(path));
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
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
      const size = checkTree(tree.read(ino, at, piece), 'a file');
      if (size === 0) break;
      for (let sent = 0; sent < size; ) sent += writeSync(file, piece, sent, size - sent);
      at += size;
    }
  } finally {
    closeSync(file);
  }
}

/** Owners are only root's to give. */
export function setMetadata(
  path: Buffer,
  { mode, uid, gid, mtimeSeconds, mtimeNanoseconds }: InodeView,
): void {
  if (process.getuid?.() === 0) lchownSync(path, uid, gid);
  if (!isSymlink(mode)) chmodSync(path, mode & fileMode.permissions);
  if (isDirectory(mode)) return;
  const mtime = `${mtimeSeconds}.${String(mtimeNanoseconds).padStart(9, '0')}`;
  lutimesSync(path, mtime, mtime);
}
