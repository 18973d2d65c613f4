import { errno } from '../live/errno.ts';
import { isDirectory } from '../live/file-mode.ts';
import type { AttributeChange, InodeView, Timestamp } from '../live/file-tree.ts';
import type { RequestReader } from './request-reader.ts';
import type { Session } from './session.ts';
import { withoutSetId } from './set-id.ts';

/** P9_STATS_BASIC and P9_STATS_DATA_VERSION: what Rgetattr fills in, whatever was asked for. */
const validFields = 0x7ff | 0x2000;
const blockBytes = 4_096;
/** The unit of `st_blocks`, on Linux whatever the file system. */
const statBlockBytes = 512;

/** Which members of Tsetattr count (P9_ATTR_* in fs/9p/vfs_inode_dotl.c). */
const setattrFlag = {
  mode: 1,
  uid: 2,
  gid: 4,
  size: 8,
  atime: 16,
  mtime: 32,
  /** Without it, the time is the server's now. */
  atimeSet: 128,
  mtimeSet: 256,
  /** Not in 9P2000.L: our guest's client writes content back late, and sends in the atime field when it changed. */
  ctimeSet: 512,
} as const;

const noOwner = 0xffff_ffff;
const v9fsMagic = 0x0102_1997;

/** Tgetattr: everything `stat` shows. */
export function getattr(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  request.u64(); // the members asked for; all are at hand
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  const inode = tree.stat(fid.ino);
  if (inode === undefined) return -errno.ENOENT;
  reply.u64(validFields);
  reply.qid(inode);
  reply.u32(inode.mode);
  reply.u32(inode.uid);
  reply.u32(inode.gid);
  reply.u64(inode.nlink);
  reply.u64(inode.rdev);
  reply.u64(inode.sizeBytes);
  reply.u64(blockBytes);
  reply.u64(Math.ceil(inode.allocatedBytes / statBlockBytes));
  reply.u64(inode.atimeSeconds);
  reply.u64(inode.atimeNanoseconds);
  reply.u64(inode.mtimeSeconds);
  reply.u64(inode.mtimeNanoseconds);
  reply.u64(inode.ctimeSeconds);
  reply.u64(inode.ctimeNanoseconds);
  reply.u64(0); // birth time and generation: not valid
  reply.u64(0);
  reply.u64(0);
  reply.u64(inode.version);
  return 0;
}

/** Tsetattr: mode, owner, size and times, those that are marked. */
export function setattr(session: Session): number {
  const { request, fids, tree } = session;
  const number = request.u32();
  const valid = request.u32();
  const mode = request.u32();
  const uid = request.u32();
  const gid = request.u32();
  const sizeBytes = request.u64();
  const atime = readTimestamp(request);
  const mtime = readTimestamp(request);
  if (!request.complete) return -errno.EPROTO;
  const fid = fids.get(number);
  if (fid === undefined) return -errno.EBADF;
  const inode = tree.stat(fid.ino);
  if (inode === undefined) return -errno.ENOENT;

  const change: { -readonly [Member in keyof AttributeChange]: AttributeChange[Member] } = {};
  if (valid & setattrFlag.uid) change.uid = uid;
  if (valid & setattrFlag.gid) change.gid = gid;
  if (change.uid === noOwner || change.gid === noOwner) return -errno.EINVAL;
  if (valid & setattrFlag.mode) change.permissions = mode & 0o7777;
  else if (losesSetId(inode, change)) change.permissions = withoutSetId(inode.mode);
  if (valid & setattrFlag.atime) change.atime = valid & setattrFlag.atimeSet ? atime : 'now';
  if (valid & setattrFlag.mtime) change.mtime = valid & setattrFlag.mtimeSet ? mtime : 'now';
  if (valid & setattrFlag.ctimeSet) change.ctime = atime;
  if (![change.atime, change.mtime, change.ctime].every(isTime)) return -errno.EINVAL;

  // The size first: it touches the times, and the ones given here have the last word.
  if (valid & setattrFlag.size) {
    if (!Number.isSafeInteger(sizeBytes)) return -errno.EFBIG;
    const result = tree.truncate(fid.ino, sizeBytes);
    if (result < 0) return result;
  }
  return Math.min(tree.setAttributes(fid.ino, change), 0);
}

/** Tstatfs: the space and the inodes that the tree has and uses. */
export function statfs(session: Session): number {
  const { request, reply, fids, tree } = session;
  const number = request.u32();
  if (!request.complete) return -errno.EPROTO;
  if (!fids.has(number)) return -errno.EBADF;
  const usage = tree.usage();
  const freeBlocks = Math.floor(Math.max(0, usage.totalBytes - usage.usedBytes) / blockBytes);
  reply.u32(v9fsMagic);
  reply.u32(blockBytes);
  reply.u64(Math.floor(usage.totalBytes / blockBytes));
  reply.u64(freeBlocks);
  reply.u64(freeBlocks);
  reply.u64(usage.totalInodes);
  reply.u64(Math.max(0, usage.totalInodes - usage.usedInodes));
  reply.u64(0); // fsid
  reply.u32(255); // longest name
  return 0;
}

/** chown(2) clears set-id bits of anything but a directory, root's chown too. A mode in the same message wins. */
function losesSetId(inode: InodeView, change: AttributeChange): boolean {
  return (change.uid !== undefined || change.gid !== undefined) && !isDirectory(inode.mode);
}

function readTimestamp(request: RequestReader): Timestamp {
  return { seconds: request.i64(), nanoseconds: request.u64() };
}

function isTime(time: Timestamp | 'now' | undefined): boolean {
  if (time === undefined || time === 'now') return true;
  return Number.isSafeInteger(time.seconds) && time.nanoseconds < 1_000_000_000;
}
