import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';

/** How a file is opened: `create` fails when it is there, `read` and `folder` cannot write. */
export type OpenMode = 'create' | 'write' | 'read' | 'folder';

/**
 * The few calls of the operating system that a log is kept with, all synchronous; they throw as
 * `node:fs` does. One place, so that a test can stand in for the disk and take its power away.
 */
export interface Disk {
  list(folder: string): string[];
  /** A descriptor, for the caller to close. */
  open(path: string, mode: OpenMode): number;
  /** Fills `into` from offset `at`; answers how many bytes came, fewer at the end of the file only. */
  read(fd: number, into: Uint8Array, at: number): number;
  /** Writes at offset `at`; answers how many bytes were taken, maybe fewer than there are. */
  write(fd: number, bytes: Uint8Array, at: number): number;
  truncate(fd: number, sizeBytes: number): void;
  /** Returns when the file's bytes and size, or the folder's names, are durable. */
  sync(fd: number): void;
  size(fd: number): number;
  close(fd: number): void;
  /** Gives the file at `path` another name, which must not be there. */
  link(path: string, name: string): void;
  unlink(path: string): void;
}

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants;
const flags: Readonly<Record<OpenMode, number>> = {
  create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
  write: O_RDWR | O_NOFOLLOW,
  read: O_RDONLY | O_NOFOLLOW,
  folder: O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
};

/** The disk of this host. */
export const hostDisk: Disk = {
  list: (folder) => readdirSync(folder),
  open: (path, mode) => openSync(path, flags[mode], 0o600),
  read: (fd, into, at) => readSync(fd, into, 0, into.length, at),
  write: (fd, bytes, at) => writeSync(fd, bytes, 0, bytes.length, at),
  truncate: (fd, sizeBytes) => ftruncateSync(fd, sizeBytes),
  // Not fdatasync: an append changes the size, so the journal is written either way, and what
  // becomes of a size that shrinks is left open there.
  sync: (fd) => fsyncSync(fd),
  size: (fd) => fstatSync(fd).size,
  close: (fd) => closeSync(fd),
  link: (path, name) => linkSync(path, name),
  unlink: (path) => unlinkSync(path),
};

/** Makes the names in `folder` durable: a new file outlives a power cut only with its name. */
export function syncFolder(folder: string, disk: Disk = hostDisk): void {
  const fd = disk.open(folder, 'folder');
  try {
    disk.sync(fd);
  } finally {
    disk.close(fd);
  }
}
