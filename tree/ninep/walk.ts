import type { ByteString } from '../content/byte-string.ts';
import { errno } from '../live/errno.ts';
import { isDirectory } from '../live/file-mode.ts';
import type { FileTree, Ino } from '../live/file-tree.ts';
import { ninePLimits } from './limits.ts';
import type { Session } from './session.ts';
import { commitXattr } from './xattrs.ts';

/**
 * Twalk: a new fid some names further on, or with no names a second fid of the same file, open or
 * not. When a name after the first is missing, the reply tells how far it went and no fid is made.
 */
export function walk(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  const newNumber = request.u32();
  const names = request.u16();
  if (names > ninePLimits.walkNames) return -errno.EINVAL;
  const source = fids.get(number);
  if (source === undefined) return -errno.EBADF;
  if (source.xattr !== undefined) return -errno.EINVAL;
  const inPlace = newNumber === number;
  if (inPlace ? source.isOpen : fids.has(newNumber)) return -errno.EINVAL;

  let { ino, parent, name } = source;
  let failure = 0;
  let walked = 0;
  const countAt = reply.at;
  reply.u16(0);
  for (let index = 0; index < names; index++) {
    const step = request.name();
    if (failure < 0) continue;
    const next = stepInto(tree, ino, step);
    const inode = next > 0 ? tree.stat(next) : undefined;
    if (inode === undefined) {
      failure = next < 0 ? next : -errno.ENOENT;
      continue;
    }
    const isEntry = step !== '.' && step !== '..';
    parent = isEntry ? ino : 0;
    name = isEntry ? step : '';
    ino = next;
    reply.qid(inode);
    walked++;
  }
  if (!request.complete) return -errno.EPROTO;
  if (walked === 0 && failure < 0) return failure;
  reply.patchU16(countAt, walked);
  if (walked < names) return 0;

  const target = inPlace ? source : fids.add(newNumber, ino, source.uid);
  if (target === undefined) return -errno.ENOMEM;
  if (inPlace) fids.move(source, ino);
  target.parent = parent;
  target.name = name;
  return 0;
}

/** Tclunk: gives up a fid, which is valid no more even if the reply is an error. Commits a pending xattr. */
export function clunk(session: Session): number {
  const { request, fids } = session;
  const number = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  const result = fid.xattr === undefined ? 0 : commitXattr(session, fid);
  session.forget(fid);
  return result;
}

/** The inode one name further on, or a negative errno. */
function stepInto(tree: FileTree, ino: Ino, name: ByteString): number {
  if (name !== '.' && name !== '..') {
    const child = tree.lookup(ino, name);
    if (child > 0) return child;
  }
  const inode = tree.stat(ino);
  if (inode === undefined) return -errno.ENOENT;
  if (!isDirectory(inode.mode)) return -errno.ENOTDIR;
  if (name === '.') return ino;
  if (name === '..') return inode.parent;
  return name.length > ninePLimits.nameBytes ? -errno.ENAMETOOLONG : -errno.ENOENT;
}
