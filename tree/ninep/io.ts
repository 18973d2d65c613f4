import { errno } from '../live/errno.ts';
import { isDirectory } from '../live/file-mode.ts';
import type { Fid } from './fid-table.ts';
import { allowsRead, allowsWrite, openFlag } from './open-flags.ts';
import type { Session } from './session.ts';
import { hasSetId, withoutSetId } from './set-id.ts';
import { readXattr, writeXattr } from './xattrs.ts';

/** Tread: file content, straight from the tree into the reply; no bytes at and past the end. */
export function read(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  const offset = request.u64();
  const wanted = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  if (!Number.isSafeInteger(offset)) return -errno.EINVAL;
  const at = reply.at + 4;
  const into = reply.bytes.subarray(at, at + Math.min(wanted, session.payloadBytes));
  let count: number;
  if (fid.xattr !== undefined) count = readXattr(fid.xattr, offset, into);
  else if (fid.isOpen && allowsRead(fid.flags)) count = tree.read(fid.ino, offset, into);
  else count = -errno.EBADF;
  if (count < 0) return count;
  reply.u32(count);
  reply.at += count;
  return 0;
}

/** Twrite: file content, all of it or an error. */
export function write(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  let offset = request.u64();
  const count = request.u32();
  const bytes = request.data(count);
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  let written: number;
  if (fid.xattr !== undefined) {
    written = writeXattr(fid.xattr, offset, bytes);
  } else {
    if (!fid.isOpen || !allowsWrite(fid.flags)) return -errno.EBADF;
    // The client's cached end of the file may be stale.
    if (fid.flags & openFlag.append) offset = tree.stat(fid.ino)?.sizeBytes ?? 0;
    if (!Number.isSafeInteger(offset + count)) return -errno.EFBIG;
    if (fid.uid !== 0) {
      const result = clearSetId(session, fid);
      if (result < 0) return result;
    }
    written = tree.write(fid.ino, offset, bytes);
  }
  if (written < 0) return written;
  reply.u32(written);
  return 0;
}

/** Tfsync: nothing to do. The tree has every write already, and the committer makes it durable later. */
export function fsync(session: Session): number {
  const { request, fids, tree } = session;
  const number = request.u32();
  request.u32(); // datasync
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  return tree.stat(fid.ino) === undefined ? -errno.ENOENT : 0;
}

/** Without a page cache Linux leaves this to the server (v9fs_file_write_iter has no file_remove_privs). */
function clearSetId(session: Session, fid: Fid): number {
  const inode = session.tree.stat(fid.ino);
  if (inode === undefined) return -errno.ENOENT;
  if (!hasSetId(inode.mode) || isDirectory(inode.mode)) return 0;
  return Math.min(session.tree.setAttributes(fid.ino, { permissions: withoutSetId(inode.mode) }), 0);
}
