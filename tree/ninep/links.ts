import type { ByteString } from '../content/byte-string.ts';
import { errno } from '../live/errno.ts';
import { isDirectory, isSymlink } from '../live/file-mode.ts';
import type { Ino } from '../live/file-tree.ts';
import type { Fid } from './fid-table.ts';
import type { Session } from './session.ts';

/** AT_REMOVEDIR. */
const removeDirectory = 0x200;

/** Treadlink. */
export function readlink(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  const inode = tree.stat(fid.ino);
  if (inode === undefined) return -errno.ENOENT;
  const { target } = inode;
  if (!isSymlink(inode.mode) || target === undefined) return -errno.EINVAL;
  if (target.length > session.payloadBytes) return -errno.ENAMETOOLONG;
  reply.text(target);
  return 0;
}

/** Tlink: one more name for a file. */
export function link(session: Session): number {
  const { request, fids, tree } = session;
  const directory = request.u32();
  const number = request.u32();
  const name = request.name();
  if (!request.complete) return -errno.EPROTO;
  const into = fids.get(directory);
  const fid = fids.get(number);
  if (into === undefined || fid === undefined) return -errno.EBADF;
  return Math.min(tree.link(fid.ino, into.ino, name), 0);
}

/** Tunlinkat: takes a name away; what is open stays readable. */
export function unlinkat(session: Session): number {
  const { request, fids, tree } = session;
  const number = request.u32();
  const name = request.name();
  const flags = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  if (flags & ~removeDirectory) return -errno.EINVAL;
  const removed = flags & removeDirectory ? tree.rmdir(fid.ino, name) : tree.unlink(fid.ino, name);
  return Math.min(removed, 0);
}

/** Trenameat: moves a name, over another one if need be. */
export function renameat(session: Session): number {
  const { request, fids, tree } = session;
  const fromNumber = request.u32();
  const fromName = request.name();
  const toNumber = request.u32();
  const toName = request.name();
  if (!request.complete) return -errno.EPROTO;
  const from = fids.get(fromNumber);
  const to = fids.get(toNumber);
  if (from === undefined || to === undefined) return -errno.EBADF;
  return Math.min(tree.rename(from.ino, fromName, to.ino, toName), 0);
}

/** Trename: moves the file that the fid was walked to. Linux asks so only where there is no Trenameat. */
export function rename(session: Session): number {
  const { request, fids, tree } = session;
  const number = request.u32();
  const directory = request.u32();
  const name = request.name();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  const to = fids.get(directory);
  if (fid === undefined || to === undefined) return -errno.EBADF;
  if (!isNamed(session, fid)) return -errno.ENOENT;
  const result = tree.rename(fid.parent, fid.name, to.ino, name);
  if (result < 0) return result;
  fid.parent = to.ino;
  fid.name = name;
  return 0;
}

/** Tremove: takes away the name that the fid was walked to by. The fid is gone even if that fails. */
export function remove(session: Session): number {
  const { request, fids } = session;
  const number = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  const result = isNamed(session, fid) ? removeName(session, fid) : -errno.ENOENT;
  session.forget(fid);
  return Math.min(result, 0);
}

function removeName(session: Session, fid: Fid): number {
  const { parent, name }: { parent: Ino; name: ByteString } = fid;
  const inode = session.tree.stat(fid.ino);
  if (inode === undefined) return -errno.ENOENT;
  return isDirectory(inode.mode) ? session.tree.rmdir(parent, name) : session.tree.unlink(parent, name);
}

/** Whether the name that the fid was reached by still leads to its file. */
function isNamed(session: Session, fid: Fid): boolean {
  return fid.parent !== 0 && fid.xattr === undefined && session.tree.lookup(fid.parent, fid.name) === fid.ino;
}
