import { SandboxError } from '../../../protocol/errors.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { toDisplayText } from '../../../tree/content/byte-string.ts';
import { isDirectory } from '../../../tree/live/file-mode.ts';
import { type DiskNode, isSameStat, isWhiteout, joinPath } from '../disk-node.ts';
import type { FolderScanner, FoundFile, FoundFiles } from './folder-scanner.ts';

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
  /** Of a symlink. */
  readonly target: ByteString | undefined;
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
  /** What is there now. It shares what is the same with what was there before, which stays as it is. */
  readonly root: DiskNode;
  /** A directory before what is in it; what is gone from it first. */
  readonly changes: readonly DiskChange[];
}

/**
 * Finds what changed below the scanner's folder, in which nothing may run. Costs a look at every file
 * in the scanner, and here what has changed. @throws as `FolderScanner.look`
 */
export async function scanFolder(scanner: FolderScanner, options: ScanOptions): Promise<Scan> {
  const found = await scanner.look(options.racyFromNs);
  for (;;) {
    const comparison = new Comparison(found, options);
    const root = comparison.visit('', {
      before: options.before,
      parent: undefined,
      ino: options.before?.stat.ino,
    });
    if (root === undefined)
      throw new SandboxError('internal', 'Cannot read the files of a sandbox: all are gone');
    const { changes, unknown } = comparison;
    if (unknown.length === 0) return { root, changes };
    // A directory that was moved brings files along that are new here, and not to the scanner.
    await scanner.list(unknown, found);
    const missing = unknown.find((path) => !found.has(path));
    if (missing !== undefined) throw contradiction(missing);
  }
}

/** Compares what was found with what is known. */
class Comparison {
  readonly changes: DiskChange[] = [];
  /** Paths at which there are files of which nothing is known. */
  readonly unknown: ByteString[] = [];
  readonly #found: FoundFiles;
  readonly #options: ScanOptions;
  /** Names in directories at or below which something was found. */
  readonly #touched: ReadonlyMap<ByteString, ReadonlySet<ByteString>>;

  constructor(found: FoundFiles, options: ScanOptions) {
    this.#found = found;
    this.#options = options;
    this.#touched = touchedNames(found);
  }

  /** The file that is at `path` now. */
  visit(
    path: ByteString,
    {
      before,
      parent,
      ino,
    }: { before: DiskNode | undefined; parent: DiskNode | undefined; ino: bigint | undefined },
  ): DiskNode | undefined {
    const file = this.#found.get(path);
    if (file === undefined) {
      // A file that was moved need not have changed itself.
      if (before?.stat.ino === ino && before) return this.#visitTouched(path, before);
      this.unknown.push(path);
      return before;
    }
    const { stat, target } = file;
    if (this.#options.isUpper && isWhiteout(stat)) {
      if (before === undefined || !isWhiteout(before.stat)) {
        this.changes.push({ path, parent, before, now: undefined, target });
      }
      return { stat, xattrs: undefined, isWhole: false, children: undefined };
    }
    const isUnchanged =
      before !== undefined && isSameStat(before.stat, stat) && stat.ctimeNs < this.#options.racyFromNs;
    if (isDirectory(stat.mode)) return this.#visitDirectory(path, { file, before, parent, isUnchanged });
    if (isUnchanged) return before;
    const now = { stat, xattrs: before?.xattrs, isWhole: false, children: undefined };
    this.changes.push({ path, parent, before, now, target });
    return now;
  }

  #visitDirectory(
    path: ByteString,
    options: {
      readonly file: FoundFile;
      readonly before: DiskNode | undefined;
      readonly parent: DiskNode | undefined;
      readonly isUnchanged: boolean;
    },
  ): DiskNode {
    const { file, before, parent, isUnchanged } = options;
    const { stat, names } = file;
    if (names === undefined) throw contradiction(path);
    const children = new Map<ByteString, DiskNode>();
    const same = before?.stat.ino === stat.ino ? before : undefined;
    // One made anew hides what the layers below have of its path: were there something, it would be opaque as well.
    const isWhole = same?.isWhole ?? (before?.children !== undefined || parent?.isWhole === true);
    const now: DiskNode = { stat, xattrs: before?.xattrs, isWhole, children };
    if (!isUnchanged) this.changes.push({ path, parent, before, now, target: undefined });
    // Another directory of the same name has nothing of what the old one had.
    const old = same?.children;
    this.#noteGone(path, { parent: now, old, names });
    for (const [name, ino] of names) {
      const child = this.visit(joinPath(path, name), { before: old?.get(name), parent: now, ino });
      if (child) children.set(name, child);
    }
    return now;
  }

  /** Looks below what is the same itself. */
  #visitTouched(path: ByteString, node: DiskNode): DiskNode {
    let children: Map<ByteString, DiskNode> | undefined;
    for (const name of this.#touched.get(path) ?? []) {
      if (node.children === undefined) throw contradiction(path);
      const before = node.children.get(name);
      const child = this.visit(joinPath(path, name), { before, parent: node, ino: before?.stat.ino });
      if (child === before) continue;
      children ??= new Map(node.children);
      if (child) children.set(name, child);
      else children.delete(name);
    }
    return children ? { ...node, children } : node;
  }

  #noteGone(
    path: ByteString,
    options: {
      readonly parent: DiskNode;
      readonly old: ReadonlyMap<ByteString, DiskNode> | undefined;
      readonly names: ReadonlyMap<ByteString, bigint>;
    },
  ): void {
    const { parent, old, names } = options;
    if (old === undefined || old.size === 0) return;
    for (const [name, before] of old) {
      if (names.has(name)) continue;
      this.changes.push({ path: joinPath(path, name), parent, before, now: undefined, target: undefined });
    }
  }
}

function touchedNames(found: FoundFiles): Map<ByteString, Set<ByteString>> {
  const touched = new Map<ByteString, Set<ByteString>>();
  for (const path of found.keys()) {
    for (let at = path; at !== ''; ) {
      const slash = at.lastIndexOf('/');
      const directory = slash < 0 ? '' : at.slice(0, slash);
      const names = touched.get(directory);
      // What is above was noted with the first of them.
      if (names) {
        names.add(at.slice(slash + 1));
        break;
      }
      touched.set(directory, new Set([at.slice(slash + 1)]));
      at = directory;
    }
  }
  return touched;
}

function contradiction(path: ByteString): SandboxError {
  const where = toDisplayText(path).slice(0, 200);
  return new SandboxError(
    'internal',
    `Cannot read the files of a sandbox: the scanner contradicts itself at "${where}"`,
  );
}
