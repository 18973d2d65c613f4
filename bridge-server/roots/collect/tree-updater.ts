import type { ByteString } from '../../../tree/content/byte-string.ts';
import { fileMode, isDevice, isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView, Timestamp } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import type { DiskStat } from '../disk-node.ts';
import type { Xattrs } from '../supported-metadata.ts';
import { checkTree } from './check-tree.ts';

/** A file as it is on disk now, and what was there before. */
export interface FileUpdate {
  readonly path: ByteString;
  readonly now: DiskStat;
  /** `undefined` when it is not known, or there was nothing. */
  readonly before: DiskStat | undefined;
  /** Of a symlink. */
  readonly target: ByteString | undefined;
}

/**
 * Puts single changes of a disk into a tree. Only what differs from what the disk had before is set,
 * so metadata that a host could not hold stays as the tree has it.
 */
export class TreeUpdater {
  /** Paths at which something was changed. */
  count = 0;
  readonly #tree: LiveTree;
  /** Directories change whenever a name in them does, so their times are set at the end. */
  readonly #directoryTimes: Map<Ino, Timestamp> = new Map();

  constructor(tree: LiveTree) {
    this.#tree = tree;
  }

  /** The inode at a path without symlinks on its way, or 0. */
  find(path: ByteString): Ino {
    let at: Ino = this.#tree.root;
    if (path !== '') for (const name of path.split('/')) if (at !== 0) at = this.#tree.lookup(at, name);
    return at;
  }

  /** Removes what is at `path`, with all that is in it. */
  remove(path: ByteString): void {
    const ino = this.find(path);
    if (ino === 0) return;
    this.#removeName(path, ino);
    this.count += 1;
  }

  /** Removes what is in the directory at `path` but for names that are there still. */
  prune(path: ByteString, isThere: (name: ByteString, inode: InodeView | undefined) => boolean): void {
    const directory = this.find(path);
    for (const [name, ino] of this.#entries(directory)) {
      if (isThere(name, this.#tree.stat(ino))) continue;
      this.#keepTime(directory);
      this.#removeEntry(directory, name, ino);
      this.count += 1;
    }
  }

  /** Makes `path` another name of `ino`. */
  link(path: ByteString, ino: Ino): void {
    const existing = this.find(path);
    if (existing === ino) return;
    if (existing !== 0) this.#removeName(path, existing);
    const { directory, name } = this.#place(path);
    checkTree(this.#tree.link(ino, directory, name), 'a hard link');
    this.count += 1;
  }

  /** The inode that stands for `update`: the one that is there, when it can be changed into it, or a new one. */
  place(update: FileUpdate, options: { readonly isSameFile: boolean }): { ino: Ino; isNew: boolean } {
    const existing = this.find(update.path);
    const inode = this.#tree.stat(existing);
    if (
      inode &&
      isSameKind(inode, update) &&
      (isDirectory(inode.mode) || options.isSameFile || inode.nlink === 1)
    ) {
      return { ino: existing, isNew: false };
    }
    if (existing !== 0) this.#removeName(update.path, existing);
    const { directory, name } = this.#place(update.path);
    const { mode, uid, gid, rdev } = update.now;
    const target = update.target ?? '';
    return {
      ino: checkTree(this.#tree.create(directory, name, { mode, uid, gid, rdev, target }), 'a file'),
      isNew: true,
    };
  }

  /** Sets extended attributes to `now` where it differs from what the disk had. Answers whether it did. */
  setXattrs(ino: Ino, { before, now }: { before: Xattrs; now: Xattrs }): boolean {
    let changed = false;
    for (const [name, value] of now) {
      const old = before.get(name);
      if (old && Buffer.compare(old, value) === 0) continue;
      checkTree(this.#tree.setXattr(ino, name, value), 'an extended attribute');
      changed = true;
    }
    for (const name of before.keys()) {
      if (now.has(name) || this.#tree.getXattr(ino, name) === undefined) continue;
      checkTree(this.#tree.removeXattr(ino, name), 'an extended attribute');
      changed = true;
    }
    return changed;
  }

  /** Sets mode, owner and time where they differ from what the disk had. Comes after the content. */
  setMetadata(
    ino: Ino,
    options: { readonly now: DiskStat; readonly before: DiskStat | undefined; readonly mtime: Timestamp },
  ): boolean {
    const { now, before } = options;
    const inode = this.#tree.stat(ino);
    if (inode === undefined) return false;
    const mtime = before?.mtimeNs === now.mtimeNs ? options.mtime : timestampOf(now.mtimeNs);
    const movesTime = !isSameTime(mtime, options.mtime);
    if (isDirectory(inode.mode)) this.#directoryTimes.set(ino, mtime);
    const change = {
      ...(isSet(now.mode, before?.mode, inode.mode) ? { permissions: now.mode & fileMode.permissions } : {}),
      ...(isSet(now.uid, before?.uid, inode.uid) ? { uid: now.uid } : {}),
      ...(isSet(now.gid, before?.gid, inode.gid) ? { gid: now.gid } : {}),
      ...(isDirectory(inode.mode) || isSameTime(mtime, mtimeOf(inode)) ? {} : { mtime }),
    };
    if (Object.keys(change).length > 0) checkTree(this.#tree.setAttributes(ino, change), 'metadata');
    return movesTime || 'permissions' in change || 'uid' in change || 'gid' in change;
  }

  /** The time of a file as the tree has it. */
  mtime(ino: Ino): Timestamp {
    const inode = this.#tree.stat(ino);
    return this.#directoryTimes.get(ino) ?? (inode ? mtimeOf(inode) : { seconds: 0, nanoseconds: 0 });
  }

  /** Sets the times of directories. */
  finish(): void {
    for (const [ino, mtime] of this.#directoryTimes) {
      const inode = this.#tree.stat(ino);
      if (inode && !isSameTime(mtime, mtimeOf(inode))) this.#tree.setAttributes(ino, { mtime });
    }
  }

  #place(path: ByteString): { directory: Ino; name: ByteString } {
    const slash = path.lastIndexOf('/');
    const directory = this.find(slash < 0 ? '' : path.slice(0, slash));
    this.#keepTime(directory);
    return { directory, name: path.slice(slash + 1) };
  }

  #removeName(path: ByteString, ino: Ino): void {
    const { directory, name } = this.#place(path);
    this.#removeEntry(directory, name, ino);
  }

  #entries(directory: Ino): [ByteString, Ino][] {
    const entries: [ByteString, Ino][] = [];
    this.#tree.readdir(directory, 0, (name, ino) => Boolean(entries.push([name, ino])));
    return entries;
  }

  #removeEntry(directory: Ino, name: ByteString, ino: Ino): void {
    if (isDirectory(this.#tree.stat(ino)?.mode ?? 0)) {
      for (const [child, childIno] of this.#entries(ino)) this.#removeEntry(ino, child, childIno);
      checkTree(this.#tree.rmdir(directory, name), 'a removal');
    } else checkTree(this.#tree.unlink(directory, name), 'a removal');
  }

  #keepTime(directory: Ino): void {
    const inode = this.#tree.stat(directory);
    if (inode && !this.#directoryTimes.has(directory)) this.#directoryTimes.set(directory, mtimeOf(inode));
  }
}

/** Whether an inode can be changed into what is on disk; neither a target nor a device number can. */
function isSameKind(inode: InodeView, { now, target }: FileUpdate): boolean {
  if (inode.mode >> 12 !== now.mode >> 12) return false;
  if (isSymlink(now.mode)) return inode.target === target;
  return !isDevice(now.mode) || inode.rdev === now.rdev;
}

/** Whether a value was set on disk, and the tree does not have it. */
function isSet(now: number, before: number | undefined, inTree: number): boolean {
  return now !== before && now !== inTree;
}

function mtimeOf(inode: InodeView): Timestamp {
  return { seconds: inode.mtimeSeconds, nanoseconds: inode.mtimeNanoseconds };
}

function isSameTime(a: Timestamp, b: Timestamp): boolean {
  return a.seconds === b.seconds && a.nanoseconds === b.nanoseconds;
}

/** Nanoseconds since 1970, rounded down to seconds. */
function timestampOf(ns: bigint): Timestamp {
  const nanoseconds = Number(((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
  return { seconds: Number((ns - BigInt(nanoseconds)) / 1_000_000_000n), nanoseconds };
}
