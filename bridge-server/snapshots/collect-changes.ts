import { treeLimits } from '../../tree/limits.ts';
import type { ByteString } from '../../tree/live/byte-string.ts';
import { isDirectory, isFile } from '../../tree/live/file-mode.ts';
import type { Ino } from '../../tree/live/file-tree.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { ChangedFiles } from './changed-files.ts';
import { type DiskNode, type DiskStat, isWhiteout } from './disk-node.ts';
import { FileWriter } from './file-writer.ts';
import type { FolderScanner } from './folder-scanner.ts';
import { type HostAbilities, hasUntold, isKeptName, keptXattrs, type Xattrs } from './kept-metadata.ts';
import type { DiskChange } from './scan-folder.ts';
import { type FileUpdate, TreeUpdater } from './tree-updater.ts';

export interface CollectOptions {
  /** What has found the changes. */
  readonly scanner: FolderScanner;
  readonly tree: LiveTree;
  readonly abilities: HostAbilities;
  /** Set where the folder is the upper directory of an overlay: what the layers below have at a path. */
  readonly lowerStat: ((path: ByteString) => DiskStat | undefined) | undefined;
  /** Called when the folder may change again, unless that is only when all is done. */
  readonly onRead: (() => Promise<void>) | undefined;
  /** Called when a file has attributes that matter and that no tree has. */
  readonly onUntold?: (() => void) | undefined;
}

/**
 * Applies changes of a folder to a tree; they are those of a scan, in its order. Fills in the
 * attributes of what it has read. Answers how many paths of the tree changed.
 * @throws storage-full, limit-exceeded; doing the same again later is then safe
 */
export async function collectChanges(
  changes: readonly DiskChange[],
  options: CollectOptions,
): Promise<number> {
  if (changes.length === 0) {
    await options.onRead?.();
    return 0;
  }
  const files = firstNames(changes);
  const reader = ChangedFiles.open(options.scanner, files.read);
  if (await reader.readAhead()) await options.onRead?.();
  const run = new CollectRun(options, reader);
  for (const change of changes) {
    if (change.now === undefined) run.updater.remove(change.path);
    else if (!files.otherNames.has(change)) await run.update(change, change.now);
  }
  for (const change of files.otherNames) run.linkName(change);
  run.updater.finish();
  return run.updater.count;
}

class CollectRun {
  readonly updater: TreeUpdater;
  readonly #options: CollectOptions;
  readonly #files: ChangedFiles;
  readonly #writer: FileWriter;
  /** Inodes of the tree by those on disk, for files with several names. */
  readonly #linked = new Map<bigint, Ino>();

  constructor(options: CollectOptions, files: ChangedFiles) {
    this.updater = new TreeUpdater(options.tree);
    this.#options = options;
    this.#files = files;
    this.#writer = new FileWriter(options.tree);
  }

  async update({ path, parent, before: known, target }: DiskChange, node: DiskNode): Promise<void> {
    const { lowerStat } = this.#options;
    const { updater } = this;
    const now = this.#seenInside(node.stat);
    const attributes = isRead(now.mode) ? await this.#files.next() : undefined;
    if (node.children) {
      node.isWhole ||= isOther(now, known) || isOpaque(attributes) || (parent?.isWhole ?? false);
      if (node.isWhole) updater.prune(path, namesIn(node.children));
    }
    const beforePlace = updater.find(path);
    const beforeStat = beforePlace === 0 ? undefined : (known?.stat ?? lowerStat?.(path));
    const before = beforeStat && this.#seenInside(beforeStat);
    const update: FileUpdate = { path, now, before, target };
    const { ino, isNew } = updater.place(update, { isSameFile: known?.stat.ino === now.ino });
    if (now.nlink > 1 && !isDirectory(now.mode)) this.#linked.set(now.ino, ino);
    const mtime = updater.mtime(ino);
    let changed = isNew;
    const old = isNew ? undefined : before;
    if (attributes) {
      if (hasUntold(attributes, this.#options.abilities)) this.#options.onUntold?.();
      const xattrs = ownXattrs(attributes, now.mode);
      const oldXattrs = isNew ? noXattrs : (known?.xattrs ?? this.#expectedXattrs(ino));
      if (isFile(now.mode)) changed = (await this.#readContent(ino, { now, before: old })) || changed;
      changed = updater.setXattrs(ino, { before: oldXattrs, now: xattrs }) || changed;
      node.xattrs = xattrs;
    }
    changed = updater.setMetadata(ino, { now, before: old, mtime }) || changed;
    if (changed) updater.count += 1;
  }

  linkName({ path, now }: DiskChange): void {
    const ino = this.#linked.get(now?.stat.ino ?? 0n);
    if (ino !== undefined) this.updater.link(path, ino);
  }

  async #readContent(
    ino: Ino,
    { now, before }: { now: DiskStat; before: DiskStat | undefined },
  ): Promise<boolean> {
    const isSmall = now.sizeBytes <= treeLimits.extentBytes;
    const isOther = before?.mtimeNs !== now.mtimeNs || before?.sizeBytes !== now.sizeBytes;
    const writer = this.#writer;
    writer.start(ino, { isNew: isSmall && isOther });
    let at = 0;
    const sizeBytes = await this.#files.content((offset, bytes) => {
      if (offset > at) writer.hole(offset);
      writer.push(bytes);
      at = offset + bytes.length;
    });
    if (sizeBytes > at) writer.hole(sizeBytes);
    writer.finish(sizeBytes);
    return writer.changed;
  }

  /** With one id all files are the bridge's user's, who is root inside the jail (user_namespaces(7)). */
  #seenInside(stat: DiskStat): DiskStat {
    return this.#options.abilities.hasIds ? stat : { ...stat, uid: 0, gid: 0 };
  }

  /** What the disk has of the tree's attributes before anything has changed them. */
  #expectedXattrs(ino: Ino): Xattrs {
    const inode = this.#options.tree.inode(ino);
    return inode ? keptXattrs(inode, this.#options.abilities) : noXattrs;
  }
}

const noXattrs: Xattrs = new Map();

/** Of the files with several names, those beyond the first: they are linked once the first is there. */
function firstNames(changes: readonly DiskChange[]): {
  read: ByteString[];
  otherNames: ReadonlySet<DiskChange>;
} {
  const read: ByteString[] = [];
  const firsts = new Map<bigint, DiskChange>();
  const isKnown = ({ now, before }: DiskChange) => before !== undefined && before.stat.ino === now?.stat.ino;
  const several = changes.filter(({ now }) => now && now.stat.nlink > 1 && !isDirectory(now.stat.mode));
  for (const change of several) {
    const ino = change.now?.stat.ino ?? 0n;
    const first = firsts.get(ino);
    // A name that was this file's before saves reading it anew.
    if (first === undefined || (isKnown(change) && !isKnown(first))) firsts.set(ino, change);
  }
  const otherNames = new Set(several.filter((change) => firsts.get(change.now?.stat.ino ?? 0n) !== change));
  for (const change of changes) {
    if (!otherNames.has(change) && isRead(change.now?.stat.mode ?? 0)) read.push(change.path);
  }
  return { read, otherNames };
}

/** Whether a file of that mode has data, or attributes of a sandbox's own. */
function isRead(mode: number): boolean {
  return isFile(mode) || isDirectory(mode);
}

/** Whether a directory was made anew. Were there one in the layers below, it would be opaque as well. */
function isOther(now: DiskStat, known: DiskNode | undefined): boolean {
  return known?.children !== undefined && known.stat.ino !== now.ino;
}

/** Whether a directory of an overlay hides what the layers below have of it. */
function isOpaque(attributes: Xattrs | undefined): boolean {
  return opaqueNames.some((name) => attributes?.get(name)?.[0] === opaqueMark);
}

function namesIn(children: ReadonlyMap<ByteString, DiskNode>): ReadonlySet<ByteString> {
  return new Set([...children].filter(([, node]) => !isWhiteout(node.stat)).map(([name]) => name));
}

/** Kernel docs, overlayfs, "Whiteouts and opaque directories"; `user.` in mounts without privileges. */
const opaqueNames = ['trusted.overlay.opaque', 'user.overlay.opaque'];
const opaqueMark = 'y'.charCodeAt(0);

function ownXattrs(attributes: Xattrs, mode: number): Xattrs {
  if (attributes.size === 0) return noXattrs;
  const own = [...attributes].filter(([name]) => isKeptName(name, mode));
  return own.length === 0 ? noXattrs : new Map(own);
}
