import type { ByteString } from '../content/byte-string.ts';
import { errno } from '../live/errno.ts';
import { fileMode, isDirectory, isFile } from '../live/file-mode.ts';
import type { Result } from '../live/file-tree.ts';
import type { Fid } from './fid-table.ts';
import { ninePLimits } from './limits.ts';
import type { Session } from './session.ts';
import { setGroupId } from './set-id.ts';

const noGroup = 0xffff_ffff;
/** What Linux's `dev_t` can hold. */
const largestMajor = 0xfff;
const largestMinor = 0xf_ffff;

/** What a request says of the inode to be; the owner is the fid's. */
export interface NewFile {
  readonly mode: number;
  readonly gid: number;
  readonly rdev?: number;
  readonly target?: ByteString;
}

/** Makes an inode in the directory that `fid` is, and answers its number or a negative errno. */
export function createInode(session: Session, fid: Fid, name: ByteString, file: NewFile): Result {
  const directory = session.tree.stat(fid.ino);
  if (directory === undefined) return -errno.ENOENT;
  if (!isDirectory(directory.mode)) return -errno.ENOTDIR;
  if (file.gid === noGroup) return -errno.EINVAL;
  // Linux's client has done the same, but with a directory mode that may be out of date.
  const inherits = (directory.mode & setGroupId) !== 0;
  const passesOn = inherits && isDirectory(file.mode) ? setGroupId : 0;
  const mode = file.mode | passesOn;
  const gid = inherits ? directory.gid : file.gid;
  return session.tree.create(fid.ino, name, { ...file, mode, gid, uid: fid.uid });
}

/** Tmkdir. */
export function mkdir(session: Session): number {
  const { request, fids } = session;
  const number = request.u32();
  const name = request.name();
  const mode = fileMode.directory | (request.u32() & fileMode.permissions);
  const gid = request.u32();
  if (!request.complete) return -errno.EPROTO;
  return createAt(session, fids.get(number), name, { mode, gid });
}

/** Tsymlink. The target is any text; nobody looks whether it is there. */
export function symlink(session: Session): number {
  const { request, fids } = session;
  const number = request.u32();
  const name = request.name();
  const target = request.text();
  const gid = request.u32();
  if (!request.complete) return -errno.EPROTO;
  if (target.length === 0) return -errno.ENOENT;
  if (target.length > ninePLimits.symlinkBytes) return -errno.ENAMETOOLONG;
  return createAt(session, fids.get(number), name, { mode: fileMode.symlink | 0o777, gid, target });
}

/** Tmknod: a device, fifo or socket, or a file that is not opened. */
export function mknod(session: Session): number {
  const { request, fids } = session;
  const number = request.u32();
  const name = request.name();
  const givenMode = request.u32();
  const major = request.u32();
  const minor = request.u32();
  const gid = request.u32();
  if (!request.complete) return -errno.EPROTO;
  const type = givenMode & fileMode.typeMask || fileMode.file;
  const mode = type | (givenMode & fileMode.permissions);
  const isDevice = type === fileMode.characterDevice || type === fileMode.blockDevice;
  if (!isDevice && !isFile(mode) && type !== fileMode.fifo && type !== fileMode.socket) {
    return isDirectory(mode) ? -errno.EPERM : -errno.EINVAL;
  }
  if (isDevice && (major > largestMajor || minor > largestMinor)) return -errno.EINVAL;
  const rdev = isDevice ? makeDevice(major, minor) : 0;
  return createAt(session, fids.get(number), name, { mode, gid, rdev });
}

function createAt(session: Session, fid: Fid | undefined, name: ByteString, file: NewFile): number {
  if (fid === undefined) return -errno.EBADF;
  const ino = createInode(session, fid, name, file);
  if (ino < 0) return ino;
  const inode = session.tree.stat(ino);
  if (inode === undefined) return -errno.ENOENT;
  session.reply.qid(inode);
  return 0;
}

/** Linux's new_encode_dev: which the client takes apart again (new_decode_dev). */
function makeDevice(major: number, minor: number): number {
  return ((minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12)) >>> 0;
}
