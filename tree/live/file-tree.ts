import type { ByteString } from '../content/byte-string.ts';

/** A stable inode number, 1 or more. The root is 1. It never changes for a file, whatever its names do. */
export type Ino = number;

/** Zero or more on success; a negative errno (`-errno.ENOENT`) on failure. Nothing is thrown on the I/O path. */
export type Result = number;

/** What `stat` shows. A view: valid until the next mutation of the same inode. */
export interface InodeView {
  readonly ino: Ino;
  /** S_IFMT bits and permissions, as in `st_mode`. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly nlink: number;
  /** Linux `makedev(major, minor)` for devices, else 0. */
  readonly rdev: number;
  readonly sizeBytes: number;
  /** Bytes that take space: allocated extents, not holes. */
  readonly allocatedBytes: number;
  readonly atimeSeconds: number;
  readonly atimeNanoseconds: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanoseconds: number;
  readonly ctimeSeconds: number;
  readonly ctimeNanoseconds: number;
  /** Grows with every change of content or metadata: qid.version. */
  readonly version: number;
  /** For a directory, the directory that holds it; the root is its own parent. */
  readonly parent: Ino;
  /** For a symlink. */
  readonly target: ByteString | undefined;
}

export interface NewInode {
  /** S_IFMT bits and permissions. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly rdev?: number;
  readonly target?: ByteString;
}

export interface Timestamp {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Members that are absent stay. `'now'` is the tree's clock. */
export interface AttributeChange {
  /** Permission bits only (07777). */
  readonly permissions?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly atime?: Timestamp | 'now';
  readonly mtime?: Timestamp | 'now';
  /** Without it any change moves ctime to the tree's clock. */
  readonly ctime?: Timestamp;
}

/** Called once per directory entry; return false to stop before consuming this entry. */
export type DirectoryVisitor = (name: ByteString, ino: Ino, nextCookie: number) => boolean;

/**
 * A mutable view of one file tree: what the 9P server and the files API work on. It is the VFS
 * below permission checks (those are the caller's), with Linux's rules for names, links and
 * times: it rejects `''`, `.`, `..`, names with `/` or NUL, names over 255 bytes, non-empty rmdir,
 * renames into an own subtree, and writes past the configured size (`-ENOSPC`).
 * All calls are synchronous; a read of content that is not here yet blocks in the content source.
 */
export interface FileTree {
  readonly root: Ino;
  /** While true, every mutation answers `-EROFS`. Enforced here, not by a mount flag. */
  readonly readOnly: boolean;

  /** The inode, alive or unlinked but retained; `undefined` when there is none. */
  stat(ino: Ino): InodeView | undefined;
  /** The inode that `name` names in `directory`, or 0. `.` and `..` are the caller's. */
  lookup(directory: Ino, name: ByteString): Ino;
  /** Makes a file, directory, symlink, device, fifo or socket. Answers its inode number. */
  create(directory: Ino, name: ByteString, inode: NewInode): Result;
  link(ino: Ino, directory: Ino, name: ByteString): Result;
  unlink(directory: Ino, name: ByteString): Result;
  rmdir(directory: Ino, name: ByteString): Result;
  rename(fromDirectory: Ino, fromName: ByteString, toDirectory: Ino, toName: ByteString): Result;

  /** Copies up to `into.length` bytes from `offset`; answers how many. Holes read as zero. */
  read(ino: Ino, offset: number, into: Uint8Array): Result;
  /** Writes all of `bytes` or answers an error having written nothing past the failure; answers how many. */
  write(ino: Ino, offset: number, bytes: Uint8Array): Result;
  truncate(ino: Ino, sizeBytes: number): Result;
  setAttributes(ino: Ino, change: AttributeChange): Result;

  getXattr(ino: Ino, name: ByteString): Uint8Array | undefined;
  setXattr(ino: Ino, name: ByteString, value: Uint8Array): Result;
  removeXattr(ino: Ino, name: ByteString): Result;
  listXattrs(ino: Ino): readonly ByteString[];

  /**
   * Visits entries from `cookie` on (0: the start), `.` and `..` not included. Cookies stay valid
   * while entries come and go: an entry that stays is visited exactly once.
   */
  readdir(directory: Ino, cookie: number, visit: DirectoryVisitor): Result;

  /** An open handle keeps an unlinked inode alive until as many `release`s. */
  retain(ino: Ino): void;
  release(ino: Ino): void;

  usage(): { usedBytes: number; totalBytes: number; usedInodes: number; totalInodes: number };
}
