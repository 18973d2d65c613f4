import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ByteString } from '../../tree/live/byte-string.ts';
import { toDisplayText } from '../../tree/live/byte-string.ts';
import { isDirectory } from '../../tree/live/file-mode.ts';
import { type DiskNode, diskPath, isSameStat, isWhiteout, readDiskNames, readDiskStat } from './disk-node.ts';

/** A path whose file is not what it was. */
export interface DiskChange {
  /** Without a leading slash; the root's is `''`. */
  readonly path: ByteString;
  /** The directory that it is in, or was. */
  readonly parent: DiskNode | undefined;
  /** What was there at the last scan, if it was looked at then. */
  readonly before: DiskNode | undefined;
  /** `undefined` when it is gone. */
  readonly now: DiskNode | undefined;
}

export interface ScanOptions {
  readonly before: DiskNode | undefined;
  /** The folder is the upper directory of an overlay, where a device 0:0 says that a name is gone. */
  readonly isUpper: boolean;
  /**
   * What changed at this time or later may change again without its times telling (a kernel's clock
   * ticks every few milliseconds), so it counts as changed once more.
   */
  readonly racyFromNs: bigint;
}

export interface Scan {
  readonly root: DiskNode;
  /** A directory before what is in it; what is gone from it first. */
  readonly changes: readonly DiskChange[];
}

/**
 * Looks at every file below `folder`, in which nothing may run. Symlinks are never followed, and no
 * component of a path can be one: a directory is entered after `lstat` has said that it is one.
 * @throws limit-exceeded for paths that Linux does not open, and for more files than a tree has
 */
export function scanFolder(folder: string, options: ScanOptions): Scan {
  const walk = new Walk(folder, options);
  const root = walk.visit('', { before: options.before, parent: undefined });
  if (root === undefined) throw new SandboxError('internal', `Cannot read the root ${folder}: it is gone`);
  return { root, changes: walk.changes };
}

class Walk {
  readonly changes: DiskChange[] = [];
  readonly #folder: string;
  readonly #options: ScanOptions;
  #filesLeft: number = limits.inodes;

  constructor(folder: string, options: ScanOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  visit(
    path: ByteString,
    { before, parent }: { before: DiskNode | undefined; parent: DiskNode | undefined },
  ): DiskNode | undefined {
    this.#count();
    const file = diskPath(this.#folder, path);
    if (file.length > limits.nativePathBytes) {
      throw refusal(`the path "${toDisplayText(path).slice(0, 200)}…" is longer than Linux opens`);
    }
    const stat = readDiskStat(file);
    if (stat === undefined) return undefined;
    if (this.#options.isUpper && isWhiteout(stat)) {
      if (before === undefined || !isWhiteout(before.stat)) {
        this.changes.push({ path, parent, before, now: undefined });
      }
      return { stat, xattrs: undefined, isWhole: false, children: undefined };
    }
    const isUnchanged =
      before !== undefined && isSameStat(before.stat, stat) && stat.ctimeNs < this.#options.racyFromNs;
    if (!isDirectory(stat.mode)) {
      if (isUnchanged) return before;
      const node = { stat, xattrs: before?.xattrs, isWhole: false, children: undefined };
      this.changes.push({ path, parent, before, now: node });
      return node;
    }
    const children = new Map<ByteString, DiskNode>();
    const same = before?.stat.ino === stat.ino ? before : undefined;
    const isWhole = same?.isWhole ?? false;
    const node: DiskNode = { stat, xattrs: before?.xattrs, isWhole, children };
    if (!isUnchanged) this.changes.push({ path, parent, before, now: node });
    // Another directory of the same name has nothing of what the old one had.
    const old = same?.children;
    const names = readDiskNames(file);
    this.#noteGone(path, { parent: node, old, names });
    for (const name of names) {
      const child = this.visit(join(path, name), { before: old?.get(name), parent: node });
      if (child) children.set(name, child);
    }
    return node;
  }

  #noteGone(
    path: ByteString,
    options: {
      readonly parent: DiskNode;
      readonly old: ReadonlyMap<ByteString, DiskNode> | undefined;
      readonly names: readonly ByteString[];
    },
  ): void {
    const { parent, old, names } = options;
    if (old === undefined || old.size === 0) return;
    const present = new Set(names);
    for (const [name, before] of old) {
      if (!present.has(name)) this.changes.push({ path: join(path, name), parent, before, now: undefined });
    }
  }

  #count(): void {
    this.#filesLeft -= 1;
    if (this.#filesLeft < 0) throw refusal(`there are more than ${limits.inodes} files`);
  }
}

function join(directory: ByteString, name: ByteString): ByteString {
  return directory === '' ? name : `${directory}/${name}`;
}

function refusal(why: string): SandboxError {
  return new SandboxError('limit-exceeded', `Cannot read the files of a sandbox: ${why}`);
}
