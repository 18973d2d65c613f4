import { setTimeout } from 'node:timers/promises';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { treeLimits } from '../../../tree/limits.ts';
import { isDirectory, isFile } from '../../../tree/live/file-mode.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { type DiskNode, type DiskStat, isWhiteout, joinPath, nowNs, racyNs } from '../disk-node.ts';
import type { FolderScanner } from '../scan/folder-scanner.ts';
import type { DiskChange } from '../scan/scan-folder.ts';
import type { FileState } from '../scan/scan-frames.ts';
import {
  type HostAbilities,
  hasUnsupported,
  isSupportedEntry,
  isSupportedName,
  supportedXattrs,
  type Xattrs,
} from '../supported-metadata.ts';
import { ChangedFiles } from './changed-files.ts';
import { sortNames } from './changed-names.ts';
import { expectedStat } from './expected-stat.ts';
import { FileWriter } from './file-writer.ts';
import { readOrder } from './read-order.ts';
import { type FileUpdate, TreeUpdater } from './tree-updater.ts';

export interface CollectOptions {
  /** What has found the changes. */
  readonly scanner: FolderScanner;
  /** What is on the disk now (`Scan.root`). */
  readonly root: DiskNode;
  readonly tree: LiveTree;
  readonly abilities: HostAbilities;
  /** Set where the folder is the upper directory of an overlay: what the layers below have at a path. */
  readonly lowerStat: ((path: ByteString) => DiskStat | undefined) | undefined;
  /**
   * Set where all of the folder is told as changed, and what it had before is what the tree tells: then
   * names that the tree has and the folder has not, in its own directories, are gone unless layers below show them.
   */
  readonly found?: FoundFolder | undefined;
  /** Set where the folder may change again before all of it is read. */
  readonly live?: LiveReading | undefined;
  /** Called when a file has attributes that matter and that no tree has. */
  readonly onUntold?: (() => void) | undefined;
}

/** How files are read that may change meanwhile. */
interface LiveReading {
  /** Called when they may; absent where those that are read are a copy that nothing changes. */
  readonly onRead: (() => Promise<void>) | undefined;
  /** Files that changed while they were read the last time: they are read first, and before anything may change. */
  readonly hot: ReadonlySet<ByteString>;
  /** Whether large files stay unread that a process has open for writing. */
  readonly leavesUsed: boolean;
  /** Once it is aborted, what is not read yet stays unread. */
  readonly signal: AbortSignal | undefined;
}

interface LateReading extends LiveReading {
  /** What changed then or later may have changed again without its times telling. */
  readonly racyFromNs: bigint;
}

export interface Collected {
  /** How many paths of the tree changed. */
  readonly count: number;
  /** Changed files that are in the tree as they were before. */
  readonly left: readonly DiskChange[];
}

interface FoundFolder {
  readonly lowerShows: (path: ByteString) => boolean;
  /** What has a ctime before this, since 1970, and else is as the tree has it, has not changed. */
  readonly fromNs: bigint;
}

/**
 * Applies changes of a folder to a tree; they are those of a scan, in its order. Fills in the
 * attributes of what it has read.
 * @throws storage-full, limit-exceeded; doing the same again later is then safe
 */
export async function collectChanges(
  told: readonly DiskChange[],
  options: CollectOptions,
): Promise<Collected> {
  const { found, live, scanner } = options;
  const differing = found ? told.filter(differenceFinder({ ...options, ...found })) : told;
  const changes = readOrder(differing, { tree: options.tree, hot: live?.hot });
  const places = new TreeUpdater(options.tree);
  const isInTree = (path: ByteString) => places.find(path) !== 0;
  const { others, kept } = sortNames(changes, { root: options.root, isInTree });
  const read = changes.filter((change) => !others.has(change) && isRead(change.now?.stat.mode ?? 0));
  const paths = read.map(({ path }) => path);
  const isSoon = ({ now }: DiskChange) => !live?.leavesUsed || isSmall(now) || !isFile(now?.stat.mode ?? 0);
  const soon = live?.onRead
    ? read
        .slice(0, limits.scanAheadFiles)
        .filter(isSoon)
        .map(({ path }) => path)
    : [];
  const reader = live
    ? await ChangedFiles.openAhead(scanner, { paths: soon, budget: aheadBudget })
    : ChangedFiles.open(scanner, paths);
  const isHeld = new Set(live ? soon.slice(0, reader.left) : []);
  if (live?.onRead) await untilTold(read.filter(({ path }) => !isHeld.has(path) && !live.hot.has(path)));
  const racyFromNs = nowNs() - racyNs;
  await live?.onRead?.();
  const run = new ChangeCollector(options, reader);
  for (const [ino, path] of kept) run.keep(ino, path);
  if (found) run.makeRoom(changes);
  const late: DiskChange[] = [];
  for (const change of changes) {
    if (change.now === undefined) run.updater.remove(change.path);
    else if (others.has(change)) continue;
    else if (!isRead(change.now.stat.mode)) await run.update(change, change.now);
    else if (!live || isHeld.has(change.path)) await run.updateStill(change, change.now);
    else late.push(change);
  }
  const left = live ? await run.updateLate(late, { ...live, racyFromNs }) : [];
  const leftInos = new Set(left.map(({ now }) => now?.stat.ino));
  for (const change of others) {
    if (run.has(change) || !leftInos.has(change.now?.stat.ino)) run.linkName(change);
    else left.push(change);
  }
  run.updater.finish();
  return { count: run.updater.count, left };
}

class ChangeCollector {
  readonly updater: TreeUpdater;
  readonly #options: CollectOptions;
  #files: ChangedFiles;
  readonly #writer: FileWriter;
  /** Inodes of the tree by those on disk, for files with several names. */
  readonly #linked = new Map<bigint, Ino>();

  constructor(options: CollectOptions, files: ChangedFiles) {
    this.updater = new TreeUpdater(options.tree);
    this.#options = options;
    this.#files = files;
    this.#writer = new FileWriter(options.tree);
  }

  /** As `update`, of a file that has not changed since it was found. */
  async updateStill(change: DiskChange, node: DiskNode): Promise<void> {
    await this.update(change, node);
    if ((await this.#files.after())?.ino === node.stat.ino) return;
    const where = toDisplayText(change.path).slice(0, 200);
    throw new SandboxError('internal', `Cannot read "${where}": it changed while nothing ran in the sandbox`);
  }

  /** Where `signal` is aborted, content is not read on. */
  async update(change: DiskChange, node: DiskNode, signal?: AbortSignal): Promise<void> {
    const { path, parent, before: known, target } = change;
    const { updater } = this;
    const now = this.#seenInside(node.stat);
    const attributes = isRead(now.mode) ? await this.#files.next() : undefined;
    if (node.children) {
      node.isWhole ||= isOpaque(attributes) || (parent?.isWhole ?? false);
      this.#prune(path, node);
    }
    const beforePlace = updater.find(path);
    const beforeStat = beforePlace === 0 ? undefined : this.#statBefore(change, beforePlace);
    const before = beforeStat && this.#seenInside(beforeStat);
    const update: FileUpdate = { path, now, before, target };
    const { ino, isNew } = updater.place(update, { isSameFile: known?.stat.ino === now.ino });
    if (now.nlink > 1 && !isDirectory(now.mode)) this.#linked.set(now.ino, ino);
    const mtime = updater.mtime(ino);
    let changed = isNew;
    const old = isNew ? undefined : before;
    if (attributes) {
      if (hasUnsupported(attributes, this.#options.abilities)) this.#options.onUntold?.();
      const xattrs = ownXattrs(attributes, now.mode);
      const oldXattrs = isNew ? noXattrs : (known?.xattrs ?? this.#expectedXattrs(ino));
      if (isFile(now.mode)) changed = (await this.#readContent(ino, { now, before: old, signal })) || changed;
      changed = updater.setXattrs(ino, { before: oldXattrs, now: xattrs }) || changed;
      node.xattrs = xattrs;
    }
    changed = updater.setMetadata(ino, { now, before: old, mtime }) || changed;
    if (changed) updater.count += 1;
  }

  /** Reads files that may change meanwhile, and answers those that are in the tree as they were before. */
  async updateLate(changes: readonly DiskChange[], live: LateReading): Promise<DiskChange[]> {
    const { scanner } = this.#options;
    const left: DiskChange[] = [];
    for (const group of inGroups(changes)) {
      const paths = group.map(({ path }) => path);
      // Large files are in groups of their own.
      const asksUsed = live.leavesUsed && !isSmall(group[0]?.now);
      if (live.signal?.aborted || (asksUsed && (await scanner.used(paths)).size > 0)) {
        left.push(...group);
        continue;
      }
      this.#files = ChangedFiles.open(scanner, paths);
      for (const change of group) {
        if (!(await this.#updateLive(change, live))) left.push(change);
      }
    }
    return left;
  }

  /** Answers whether what was read is what was there when nothing changed. */
  async #updateLive(change: DiskChange, live: LateReading): Promise<boolean> {
    const { now, path } = change;
    const { tree } = this.#options;
    if (now === undefined) return true;
    const isThere = path === '' || this.updater.find(path.slice(0, Math.max(0, path.lastIndexOf('/')))) !== 0;
    if (!isThere) {
      await this.#files.next();
      return false;
    }
    const mark = tree.snapshot();
    const { count } = this.updater;
    const giveUp = () => {
      tree.restore(mark);
      this.updater.count = count;
      this.#linked.delete(now.stat.ino);
      return false;
    };
    try {
      await this.update(change, now, live.signal);
    } catch (error) {
      giveUp();
      // What changes while it is read may seem larger than the tree has room for.
      if (isSameFile(await this.#files.after(), now, live)) throw error;
      return false;
    }
    const isRead = !isFile(now.stat.mode) || !live.signal?.aborted;
    return (isRead && isSameFile(await this.#files.after(), now, live)) || giveUp();
  }

  /** Whether one of the names of the file is in the tree as it is. */
  has({ now }: DiskChange): boolean {
    return now !== undefined && this.#linked.has(now.stat.ino);
  }

  /** Removes first what is gone from directories that were found; what hides all of those below is not known yet. */
  makeRoom(changes: readonly DiskChange[]): void {
    for (const { path, now } of changes) {
      if (now?.children && isDirectory(this.#options.tree.stat(this.updater.find(path))?.mode ?? 0))
        this.#prune(path, now);
    }
  }

  #prune(path: ByteString, { isWhole, children }: DiskNode): void {
    const { found, abilities } = this.#options;
    const names = namesIn(children ?? new Map());
    if (isWhole && !found) this.updater.prune(path, (name) => names.has(name));
    if (!found) return;
    this.updater.prune(path, (name, inode) => {
      if (names.has(name) || (!isWhole && found.lowerShows(joinPath(path, name)))) return true;
      // What never was on the disk is not gone from it.
      return inode !== undefined && !isSupportedEntry(inode, abilities);
    });
  }

  /** What is known of a file before anything has changed it; in a folder that was found, what the tree made of it there. */
  #statBefore({ path, parent, before: known }: DiskChange, ino: Ino): DiskStat | undefined {
    const { found, lowerStat, tree, abilities } = this.#options;
    // The files that a directory hides below it are not those that were there before.
    if (!found) return known?.stat ?? (parent?.isWhole ? undefined : lowerStat?.(path));
    const inode = tree.stat(ino);
    return inode && expectedStat(inode, abilities);
  }

  /** A file with several names is at `path` as it was. */
  keep(ino: bigint, path: ByteString): void {
    this.#linked.set(ino, this.updater.find(path));
  }

  linkName({ path, now }: DiskChange): void {
    // It was read by another of its names: what this one was once read to have may be the file's no more.
    if (now) now.xattrs = undefined;
    const ino = this.#linked.get(now?.stat.ino ?? 0n);
    if (ino !== undefined) this.updater.link(path, ino);
  }

  async #readContent(
    ino: Ino,
    options: { now: DiskStat; before: DiskStat | undefined; signal: AbortSignal | undefined },
  ): Promise<boolean> {
    const { now, before, signal } = options;
    const isOneExtent = now.sizeBytes <= treeLimits.extentBytes;
    const isOther = before?.mtimeNs !== now.mtimeNs || before?.sizeBytes !== now.sizeBytes;
    const writer = this.#writer;
    writer.start(ino, { isNew: isOneExtent && isOther });
    let at = 0;
    const sizeBytes = await this.#files.content((offset, bytes) => {
      if (signal?.aborted) return;
      if (offset > at) writer.hole(offset);
      writer.push(bytes);
      at = offset + bytes.length;
    });
    if (sizeBytes > at) writer.hole(sizeBytes);
    writer.finish(sizeBytes);
    return writer.changed;
  }

  /** With one id all files are those of its user, who is root inside a user namespace (user_namespaces(7)). */
  #seenInside(stat: DiskStat): DiskStat {
    const { hasIds, soleOwner = 0 } = this.#options.abilities;
    return hasIds ? stat : { ...stat, uid: soleOwner, gid: soleOwner };
  }

  /** What the disk has of the tree's attributes before anything has changed them. */
  #expectedXattrs(ino: Ino): Xattrs {
    const inode = this.#options.tree.inode(ino);
    return inode ? supportedXattrs(inode, this.#options.abilities) : noXattrs;
  }
}

const noXattrs: Xattrs = new Map();
const aheadBudget = { ms: limits.scanAheadMs, bytes: limits.scanAheadBytes };

function isSmall(node: DiskNode | undefined): boolean {
  return (node?.stat.sizeBytes ?? 0) <= limits.scanSmallBytes;
}

/**
 * Waits, while nothing runs, until a further change of one of these files has another time than the last one: a command
 * has written them just before it ended.
 */
async function untilTold(changes: readonly DiskChange[]): Promise<void> {
  const racyMs = Number(racyNs) / 1e6;
  const ages = changes.flatMap(({ now }) =>
    now && isFile(now.stat.mode) ? [Number(nowNs() - now.stat.ctimeNs) / 1e6] : [],
  );
  const youngestMs = ages.reduce((youngest, ms) => Math.min(youngest, ms), racyMs);
  // A clock that was put back is not waited for.
  if (youngestMs < racyMs && youngestMs > -racyMs) await setTimeout(Math.ceil(racyMs - youngestMs));
}

/** Small files are asked for together, so that not each costs the time of an answer. */
function inGroups(changes: readonly DiskChange[]): DiskChange[][] {
  const groups: DiskChange[][] = [];
  let small: DiskChange[] = [];
  for (const change of changes) {
    if (!isSmall(change.now)) groups.push([change]);
    else if (small.push(change) === 1) groups.push(small);
    if (small.length === limits.scanGroupFiles) small = [];
  }
  return groups;
}

/** Whether a file that was read is as it was found, as far as its times tell. Of a directory, only attributes are read. */
function isSameFile(
  after: FileState | undefined,
  { stat }: DiskNode,
  { racyFromNs, onRead }: Pick<LateReading, 'racyFromNs' | 'onRead'>,
): boolean {
  if (after === undefined || after.ino !== stat.ino) return false;
  if (onRead === undefined) return true;
  return !isFile(stat.mode) || (after.ctimeNs === stat.ctimeNs && stat.ctimeNs < racyFromNs);
}

/**
 * Asks of the changes of a folder that was found, each after that of its directory, whether the file may be
 * another than the tree has.
 */
function differenceFinder(options: FoundFolder & Pick<CollectOptions, 'tree' | 'abilities'>) {
  /** Directories that are new where they are, as far as their times tell, or below such. */
  const moved = new Set<ByteString>();
  return (change: DiskChange): boolean => {
    const { path, now } = change;
    const isBelowMoved = path !== '' && moved.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
    const isChanged = now === undefined || now.stat.ctimeNs >= options.fromNs;
    // The kernel gives a directory that is renamed another ctime, and none of the files in it.
    if (now && isDirectory(now.stat.mode) && (isChanged || isBelowMoved)) moved.add(path);
    return isChanged || isBelowMoved || mayDiffer(change, options);
  };
}

/** The kernel's ctime says no: the rest is only asked in case the host's clock was set back. */
function mayDiffer(
  { path, now }: DiskChange,
  { tree, abilities }: Pick<CollectOptions, 'tree' | 'abilities'>,
): boolean {
  if (now === undefined || isDirectory(now.stat.mode)) return true;
  const inode = tree.stat(new TreeUpdater(tree).find(path));
  if (inode === undefined) return true;
  const { mode, sizeBytes, mtimeNs, nlink } = expectedStat(inode, abilities);
  const { stat } = now;
  const isSame = stat.mode === mode && stat.nlink === nlink && stat.mtimeNs === mtimeNs;
  return !isSame || (isFile(mode) && stat.sizeBytes !== sizeBytes);
}

/** Whether a file of that mode has data, or attributes of a sandbox's own. */
function isRead(mode: number): boolean {
  return isFile(mode) || isDirectory(mode);
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
  const own = [...attributes].filter(([name]) => isSupportedName(name, mode));
  return own.length === 0 ? noXattrs : new Map(own);
}
