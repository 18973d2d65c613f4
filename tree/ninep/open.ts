import { errno } from '../live/errno.ts';
import { fileMode, isDirectory, isFile, isSymlink } from '../live/file-mode.ts';
import type { FileTree, InodeView } from '../live/file-tree.ts';
import { createInode } from './create.ts';
import { allowsWrite, openFlag } from './open-flags.ts';
import type { Session } from './session.ts';

/** Rlopen's iounit: the client works it out from the message size. */
const anyIoUnit = 0;

/** Tlopen: makes a fid one that can be read or written. The client has checked the permissions. */
export function lopen(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  const flags = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  if (fid.isOpen || fid.xattr !== undefined) return -errno.EINVAL;
  const inode = tree.stat(fid.ino);
  if (inode === undefined) return -errno.ENOENT;
  reply.qid(inode);
  reply.u32(anyIoUnit);
  const result = prepareOpen(tree, inode, flags);
  if (result === 0) fid.flags = flags;
  return result;
}

/** Tlcreate: makes a file in the fid's directory, whereupon the fid is that file, open. */
export function lcreate(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  const name = request.name();
  const flags = request.u32();
  const mode = request.u32();
  const gid = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  if (fid.isOpen || fid.xattr !== undefined) return -errno.EINVAL;
  let ino = tree.lookup(fid.ino, name);
  if (ino > 0) {
    // The guest's kernel did not know that the file exists: it was made from outside in the meantime.
    if (flags & openFlag.exclusive) return -errno.EEXIST;
    const existing = tree.stat(ino);
    if (existing === undefined) return -errno.ENOENT;
    const result = prepareOpen(tree, existing, flags);
    if (result < 0) return result;
  } else {
    ino = createInode(session, fid, name, { mode: fileMode.file | (mode & fileMode.permissions), gid });
    if (ino < 0) return ino;
  }
  const inode = tree.stat(ino);
  if (inode === undefined) return -errno.ENOENT;
  fid.parent = fid.ino;
  fid.name = name;
  fids.move(fid, ino);
  fid.flags = flags;
  reply.qid(inode);
  reply.u32(anyIoUnit);
  return 0;
}

/** The parts of open(2) other than permissions: refuses types that cannot be opened so, and truncates. */
function prepareOpen(tree: FileTree, inode: InodeView, flags: number): number {
  if (isSymlink(inode.mode)) return -errno.ELOOP;
  if (isDirectory(inode.mode)) return allowsWrite(flags) ? -errno.EISDIR : 0;
  if (flags & openFlag.directory) return -errno.ENOTDIR;
  // Devices, fifos and sockets are the guest kernel's own: it never opens them here.
  if (!isFile(inode.mode)) return -errno.EOPNOTSUPP;
  if (tree.readOnly && (allowsWrite(flags) || flags & openFlag.truncate)) return -errno.EROFS;
  return flags & openFlag.truncate ? Math.min(tree.truncate(inode.ino, 0), 0) : 0;
}
