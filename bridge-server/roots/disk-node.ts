import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import type { ByteString } from '../../tree/content/byte-string.ts';
import { isDirectory } from '../../tree/live/file-mode.ts';
import type { Xattrs } from './supported-metadata.ts';

/** What `lstat` says of a file; equal ones mean that nothing happened to it. */
export interface DiskStat {
  readonly ino: bigint;
  /** As `st_mode`. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly nlink: number;
  /** As in a tree (tree/live/device-number.ts). */
  readonly rdev: number;
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** A file on disk as it was when it was last looked at. */
export interface DiskNode {
  readonly stat: DiskStat;
  /** Filled in when the file has been read; only the sandbox's own. Until then they are what the tree has. */
  xattrs: Xattrs | undefined;
  /** Of a directory: nothing of its path in layers below can be seen. That it is opaque is known once it was read. */
  isWhole: boolean;
  /** Of a directory. Roots share them, so a look makes others. */
  readonly children: ReadonlyMap<ByteString, DiskNode> | undefined;
}

/** A clock that ticks every 10 ms (HZ=100) may stamp two changes alike; twice that is safe. */
export const racyNs = 20_000_000n;

export function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/** The bytes of a path below `folder`. */
export function diskPath(folder: string, path: ByteString): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/** The path of `name` in a directory. */
export function joinPath(directory: ByteString, name: ByteString): ByteString {
  return directory === '' ? name : `${directory}/${name}`;
}

/** What is known at a path below `root`. */
export function nodeAt(root: DiskNode, path: ByteString): DiskNode | undefined {
  let at: DiskNode | undefined = root;
  if (path !== '') for (const name of path.split('/')) at = at?.children?.get(name);
  return at;
}

/** Never follows a symlink; `undefined` where there is nothing. @throws what Node throws for other reasons */
export function readDiskStat(path: Buffer): DiskStat | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && diskStat(stat);
}

/** The names in a directory. */
export function readDiskNames(path: Buffer): ByteString[] {
  return readdirSync(path, { encoding: 'latin1' });
}

export function isSameStat(a: DiskStat, b: DiskStat): boolean {
  return (
    a.ctimeNs === b.ctimeNs &&
    a.ino === b.ino &&
    a.mtimeNs === b.mtimeNs &&
    a.sizeBytes === b.sizeBytes &&
    a.mode === b.mode &&
    a.uid === b.uid &&
    a.gid === b.gid &&
    // A directory's changes with what is in it, which is looked at anyway.
    (a.nlink === b.nlink || isDirectory(a.mode))
  );
}

/** Whether an entry of an overlay's upper directory says that there is nothing. */
export function isWhiteout(stat: DiskStat): boolean {
  return stat.mode >> 12 === 0o02 && stat.rdev === 0;
}

function diskStat(stat: BigIntStats): DiskStat {
  return {
    ino: stat.ino,
    mode: Number(stat.mode),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    nlink: Number(stat.nlink),
    // glibc's 64 bits have the kernel's 32 at their end (sys/sysmacros.h).
    rdev: Number(BigInt.asUintN(32, stat.rdev)),
    sizeBytes: Number(stat.size),
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
  };
}
