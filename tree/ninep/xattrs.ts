import { type ByteString, writeByteString } from '../content/byte-string.ts';
import { errno } from '../live/errno.ts';
import type { FileTree, Ino } from '../live/file-tree.ts';
import type { Fid } from './fid-table.ts';
import { ninePLimits } from './limits.ts';
import type { Session } from './session.ts';
import type { XattrHandle } from './xattr-handle.ts';

/** setxattr(2): XATTR_CREATE fails where the name exists, XATTR_REPLACE where it does not. */
const createOnly = 1;
const replaceOnly = 2;

/** Txattrwalk: a fid to read one value from, or with an empty name the list of names, each with a NUL behind it. */
export function xattrwalk(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  const newNumber = request.u32();
  const name = request.text();
  if (!request.complete) return -errno.EPROTO;
  const source = fids.get(number);
  if (source === undefined) return -errno.EBADF;
  if (source.xattr !== undefined || fids.has(newNumber)) return -errno.EINVAL;
  if (tree.stat(source.ino) === undefined) return -errno.ENOENT;
  const bytes = name === '' ? nameList(tree, source.ino) : tree.getXattr(source.ino, name)?.slice();
  if (bytes === undefined) return -errno.ENODATA;
  if (!hasRoom(session, bytes.length)) return -errno.ENOMEM;
  const fid = fids.add(newNumber, source.ino, source.uid);
  if (fid === undefined) return -errno.ENOMEM;
  hold(session, fid, { type: 'reading', bytes });
  reply.u64(bytes.length);
  return 0;
}

/** Txattrcreate: turns the fid into one that takes a value, which counts when the fid is clunked. */
export function xattrcreate(session: Session): number {
  const { request, fids, tree } = session;
  const number = request.u32();
  const name = request.text();
  const sizeBytes = request.u64();
  const flags = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  if (fid.isOpen || fid.xattr !== undefined) return -errno.EINVAL;
  if (flags !== 0 && flags !== createOnly && flags !== replaceOnly) return -errno.EINVAL;
  if (name === '' || name.length > ninePLimits.xattrNameBytes) return -errno.ERANGE;
  if (sizeBytes > ninePLimits.xattrValueBytes) return -errno.ERANGE;
  if (tree.readOnly) return -errno.EROFS;
  if (tree.stat(fid.ino) === undefined) return -errno.ENOENT;
  const refusal = checkExistence(tree, fid.ino, name, flags);
  if (refusal < 0) return refusal;
  if (!hasRoom(session, sizeBytes)) return -errno.ENOMEM;
  hold(session, fid, { type: 'writing', name, flags, bytes: new Uint8Array(sizeBytes), writtenBytes: 0 });
  return 0;
}

/** Copies from the value or list that `xattr` stands for; answers how many bytes. */
export function readXattr(xattr: XattrHandle, offset: number, into: Uint8Array): number {
  if (xattr.type !== 'reading') return -errno.EBADF;
  const part = xattr.bytes.subarray(offset, offset + into.length);
  into.set(part);
  return part.length;
}

/** Takes the next piece of a value. */
export function writeXattr(xattr: XattrHandle, offset: number, bytes: Uint8Array): number {
  if (xattr.type !== 'writing') return -errno.EBADF;
  // A gap would commit bytes that nobody wrote.
  if (offset > xattr.writtenBytes) return -errno.EINVAL;
  if (offset + bytes.length > xattr.bytes.length) return -errno.ENOSPC;
  xattr.bytes.set(bytes, offset);
  xattr.writtenBytes = Math.max(xattr.writtenBytes, offset + bytes.length);
  return bytes.length;
}

/**
 * Sets the value that was written through `fid`, all of it or nothing. An empty value with
 * XATTR_REPLACE is Linux's way to say removexattr(2).
 */
export function commitXattr(session: Session, fid: Fid): number {
  const { tree } = session;
  const { xattr, ino } = fid;
  if (xattr?.type !== 'writing') return 0;
  if (xattr.writtenBytes < xattr.bytes.length) return -errno.EINVAL;
  const refusal = checkExistence(tree, ino, xattr.name, xattr.flags);
  if (refusal < 0) return refusal;
  const removes = xattr.bytes.length === 0 && xattr.flags === replaceOnly;
  const result = removes ? tree.removeXattr(ino, xattr.name) : tree.setXattr(ino, xattr.name, xattr.bytes);
  return Math.min(result, 0);
}

function checkExistence(tree: FileTree, ino: Ino, name: ByteString, flags: number): number {
  if (flags === 0) return 0;
  const exists = tree.getXattr(ino, name) !== undefined;
  if (flags === createOnly) return exists ? -errno.EEXIST : 0;
  return exists ? 0 : -errno.ENODATA;
}

function nameList(tree: FileTree, ino: Ino): Uint8Array {
  const names = tree.listXattrs(ino);
  const bytes = new Uint8Array(names.reduce((total, name) => total + name.length + 1, 0));
  let at = 0;
  for (const name of names) at += writeByteString(name, bytes, at) + 1;
  return bytes;
}

function hasRoom(session: Session, sizeBytes: number): boolean {
  return session.xattrBytesHeld + sizeBytes <= ninePLimits.xattrBytesHeld;
}

function hold(session: Session, fid: Fid, xattr: XattrHandle): void {
  fid.xattr = xattr;
  session.xattrBytesHeld += xattr.bytes.length;
}
