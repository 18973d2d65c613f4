import { statfsSync } from 'node:fs';
import type { ByteString } from '../../tree/content/byte-string.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { isFile } from '../../tree/live/file-mode.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { CollectOptions, Root, RootMount, RootName } from '../contract.ts';
import { collectChanges } from './collect/collect-changes.ts';
import {
  type DiskNode,
  type DiskStat,
  diskPath,
  nodeAt,
  nowNs,
  racyNs,
  readDiskNames,
  readDiskStat,
} from './disk-node.ts';
import { diskUsage } from './disk-usage.ts';
import { FolderScanner } from './scan/folder-scanner.ts';
import { type DiskChange, type Scan, scanFolder } from './scan/scan-folder.ts';
import type { HostAbilities } from './supported-metadata.ts';

/** A folder as it was when it was last looked at. */
export interface SeenFolder {
  readonly root: DiskNode;
  /** What had changed then or later may change again without its times telling. */
  readonly racyFromNs: bigint;
}

/** A folder's files, put aside as they were at one moment. Its owner either keeps or discards it, once. */
export interface HeldFolder {
  readonly folder: string;
  /** Gives it up to whoever makes roots of `tree`, whose files it has. */
  keep(tree: ObjectId, seen: SeenFolder): void;
  discard(): void;
}

export interface NativeRootParts {
  readonly mount: RootMount;
  readonly name: Omit<RootName, 'madeAtMs'>;
  /** Where what changes is found: the upper directory of an overlay, or the copy. */
  readonly folder: string;
  /** The program that looks there (`buildHostProgram`). */
  readonly scanner: string;
  readonly abilities: HostAbilities;
  /** Set for an overlay: what the layers below the upper directory have at a path. */
  readonly lowerStat: ((path: ByteString) => DiskStat | undefined) | undefined;
  /** Set where something in the folder is not of the tree, and tells which paths are. */
  readonly isOutside?: ((path: ByteString) => boolean) | undefined;
  /** Set for an overlay: whether those layers show something at a path below directories that hide nothing. */
  readonly lowerShows: ((path: ByteString) => boolean) | undefined;
  /** Set where the folder is as it was seen elsewhere, inode numbers and times included. */
  readonly seen?: SeenFolder | undefined;
  /** Set where files can be held. Answers `undefined` when there is no room for it: they are read in place then. */
  readonly hold?: (() => Promise<HeldFolder | undefined>) | undefined;
  /** `Root.prepare`. */
  readonly prepare?: Root['prepare'];
  /** `Root.allow`. */
  readonly allow?: Root['allow'];
  /** Gives up what another process could not take over, where the folder stays. */
  readonly leave?: (() => Promise<void>) | undefined;
  /** Gives up the root's folder and what it shares with others. */
  readonly release: () => Promise<void>;
}

/**
 * File systems in memory (statfs(2)). They never write pages back, so the first write through a mapping is the only one
 * that moves a file's times, and not even that one where the page was read before.
 */
const memoryFileSystems = [0x01021994, 0x858458f6];

/** A root whose changes are found by looking at files: cheap for an overlay, all of them for a copy. */
export class NativeRoot implements Root {
  readonly mount: RootMount;
  readonly name: RootName;
  readonly allow: Root['allow'];
  readonly prepare: Root['prepare'];
  readonly #parts: NativeRootParts;
  /** Kept from look to look, as it tells only what is new to it; gone after a failure. */
  #scanner: FolderScanner | undefined;
  #seen: SeenFolder | undefined;
  /** Of files that were new when a tree took a part of the changes only: once they are gone, no look tells it. */
  readonly #halfTaken = new Set<ByteString>();
  /** Files that the tree has as they were. */
  #left: readonly ByteString[] = [];
  /** Files that the next look is told of whatever their times say, with what is known of what the tree has. */
  readonly #again = new Map<ByteString, DiskNode | undefined>();
  /** Whether the times of files tell what is written through mappings, once these are settled (`FolderScanner.settle`). */
  readonly #canSettle: boolean;
  /** Whether a tree tells all that the folder has. */
  #isTold = true;
  /** Whether something has changed since files were last put aside. */
  #isUnheld = false;
  /** What was last collected to be published. */
  #held: { readonly files: HeldFolder; readonly seen: SeenFolder } | undefined;
  /** Set where nothing is known of it but what a tree tells: since when it may have changed. */
  #foundFromNs: bigint | undefined;
  #released: Promise<void> | undefined;

  private constructor(parts: NativeRootParts, madeAtMs: number) {
    this.#parts = parts;
    this.mount = parts.mount;
    this.allow = parts.allow;
    this.prepare = parts.prepare;
    this.name = { ...parts.name, madeAtMs };
    this.#seen = parts.seen;
    this.#canSettle = !memoryFileSystems.includes(statfsSync(parts.folder).type);
  }

  /** Takes what is in the folder now as what the tree has. @throws as `scanFolder` */
  static async open(parts: NativeRootParts): Promise<NativeRoot> {
    const root = new NativeRoot(parts, Date.now());
    const racyFromNs = nowNs() - racyNs;
    // What a fresh upper directory has is no work for a process.
    const empty = parts.seen ? undefined : emptyFolder(parts.folder);
    if (empty) root.#seen = { root: empty, racyFromNs };
    if (root.#seen) return root;
    await root.#look(async (_, scan) => {
      root.#seen = { root: scan.root, racyFromNs };
    });
    return root;
  }

  /** Takes a folder that has changed since it was made, nobody knows how. */
  static find(parts: NativeRootParts, { madeAtMs }: Pick<RootName, 'madeAtMs'>): NativeRoot {
    const root = new NativeRoot(parts, madeAtMs);
    root.#foundFromNs = BigInt(madeAtMs) * 1_000_000n - racyNs;
    return root;
  }

  get left(): readonly ByteString[] {
    return this.#left;
  }

  async collect(tree: LiveTree, options: CollectOptions = {}): Promise<number> {
    const { isPublished, isSame, mapsShared, onRead, leave, signal } = options;
    if (isSame && this.#again.size === 0) {
      if (isPublished) this.#takeHeld(await this.#holdChanged());
      return 0;
    }
    const { abilities, lowerStat, lowerShows } = this.#parts;
    const racyFromNs = nowNs() - racyNs;
    let files: HeldFolder | undefined;
    const onUntold = () => {
      this.#isTold = false;
    };
    try {
      return await this.#look(async (scanner, scan) => {
        const fromNs = this.#foundFromNs;
        const found = fromNs === undefined ? undefined : { fromNs, lowerShows: lowerShows ?? (() => false) };
        const parts = { scanner, root: scan.root, tree, abilities, lowerStat, found, onUntold };
        const told = this.#withAgain(scan);
        this.#isUnheld ||= told.length > 0;
        const onlyLittle = leave !== undefined;
        const settled = await this.#settle(scanner, { changes: told, mapsShared, onlyLittle });
        if (isPublished) files = await this.#holdChanged();
        if (files) {
          // Found where the kernel knows the files, read where they stay as they are.
          scanner.go(files.folder);
          await onRead?.();
        }
        const unsettled = new Set(settled.unsettled);
        const isUnsettled = ({ path }: DiskChange) => unsettled.has(path);
        const isLive = files !== undefined || (settled.isSettled && onRead !== undefined);
        const live =
          isLive && leave !== undefined && !found
            ? {
                onRead: files ? undefined : onRead,
                hot: new Set(this.left),
                leavesUsed: leave === 'used',
                signal,
              }
            : undefined;
        const changes = told.filter((change) => files || !isUnsettled(change));
        for (const { path, before, now } of changes) if (now && !before) this.#halfTaken.add(path);
        const gone = this.#goneOfHalfTaken(scan);
        const { count, left } = await collectChanges([...gone, ...changes], { ...parts, live });
        if (!files && !live) await onRead?.();
        // Programs run again: what is written to disk now is not when they wait for it the next time.
        if (!files) await scanner.settle(settled.unsettled);
        const unread = files ? left : [...left, ...told.filter(isUnsettled)];
        // Only now: after a failure the same changes are found again.
        this.#halfTaken.clear();
        this.#left = unread.map(({ path }) => path);
        this.#again.clear();
        for (const { path, now } of told.filter(isUnsettled)) this.#again.set(path, now);
        for (const { path, before } of unread) this.#again.set(path, before);
        this.#seen = { root: scan.root, racyFromNs: settled.isSettled ? racyFromNs : 0n };
        this.#foundFromNs = undefined;
        if (isPublished) this.#takeHeld(files);
        return count;
      });
    } catch (error) {
      files?.discard();
      throw error;
    }
  }

  published(tree: ObjectId): void {
    // Other sandboxes may have the same tree, and get no more than it tells.
    if (!this.#isTold || this.#left.length > 0) return;
    this.#held?.files.keep(tree, this.#held.seen);
    this.#held = undefined;
  }

  usedBytes(): Promise<number> {
    return diskUsage(this.#parts.folder);
  }

  leave(): Promise<void> {
    this.#takeHeld(undefined);
    this.#released ??= this.#endScanner().finally(() => this.#parts.leave?.());
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#takeHeld(undefined);
    this.#released ??= this.#release();
    return this.#released;
  }

  /** What has changed, and what is to be looked at again. */
  #withAgain({ root, changes }: Scan): readonly DiskChange[] {
    if (this.#again.size === 0) return changes;
    const told = new Set(changes.map(({ path }) => path));
    const same = [...this.#again].flatMap(([path, before]): DiskChange[] => {
      const now = told.has(path) ? undefined : nodeAt(root, path);
      if (now === undefined) return [];
      const parent = nodeAt(root, path.slice(0, Math.max(0, path.lastIndexOf('/'))));
      return [{ path, parent, before, now, target: undefined }];
    });
    const changed = changes.map((change) =>
      this.#again.has(change.path) ? { ...change, before: this.#again.get(change.path) } : change,
    );
    return [...changed, ...same];
  }

  /** In an overlay too a layer below does not show them: the kernel leaves a whiteout where one would. */
  #goneOfHalfTaken({ root }: Pick<Scan, 'root'>): DiskChange[] {
    const gone = [...this.#halfTaken].filter((path) => nodeAt(root, path) === undefined);
    return gone.map((path) => ({
      path,
      parent: undefined,
      before: undefined,
      now: undefined,
      target: undefined,
    }));
  }

  /** Puts the files aside, unless they are what was put aside last and given to others. */
  async #holdChanged(): Promise<HeldFolder | undefined> {
    this.#isUnheld ||= this.#held !== undefined;
    return this.#isUnheld ? this.#parts.hold?.() : undefined;
  }

  /** Nobody asks for what was held before. */
  #takeHeld(files: HeldFolder | undefined): void {
    if (files) this.#isUnheld = false;
    this.#held?.files.discard();
    this.#held = files && this.#seen && { files, seen: this.#seen };
  }

  /**
   * Has the times of all files tell what is written to them from now on. Those of files that have not changed do so
   * since the last call. Answers whether they do, otherwise only content tells; with `onlyLittle` there may be some of
   * which much is to be written to disk first.
   */
  async #settle(
    scanner: FolderScanner,
    {
      changes,
      mapsShared,
      onlyLittle,
    }: Pick<Scan, 'changes'> & Pick<CollectOptions, 'mapsShared'> & { readonly onlyLittle: boolean },
  ): ReturnType<FolderScanner['settle']> {
    if (!this.#canSettle) return { isSettled: false, unsettled: [] };
    const files = changes.filter(({ now }) => now && isFile(now.stat.mode) && now.stat.sizeBytes > 0);
    if (files.length === 0 || (await mapsShared?.()) === false) return { isSettled: true, unsettled: [] };
    return scanner.settle(
      files.map(({ path }) => path),
      { onlyLittle },
    );
  }

  /** Lets `use` have what is found, and nothing of it be remembered when that fails. */
  async #look<T>(use: (scanner: FolderScanner, scan: Scan) => Promise<T>): Promise<T> {
    const { folder, scanner: program, lowerStat, isOutside } = this.#parts;
    const kept = this.#scanner?.hasEnded ? undefined : this.#scanner;
    const scanner = kept ?? new FolderScanner(program, folder);
    this.#scanner = scanner;
    try {
      const { root: before, racyFromNs = nowNs() - racyNs } = this.#seen ?? {};
      // What is known is not told again, though it was another scanner that told it.
      if (before && scanner !== kept) await scanner.remember(before);
      const found = await scanFolder(scanner, { before, isUpper: lowerStat !== undefined, racyFromNs });
      const changes = isOutside ? found.changes.filter(({ path }) => !isOutside(path)) : found.changes;
      const result = await use(scanner, { ...found, changes });
      // A folder that it has open is not deleted for good.
      scanner.go(folder);
      return result;
    } catch (error) {
      this.#scanner = undefined;
      await scanner[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #release(): Promise<void> {
    try {
      await this.#endScanner();
    } finally {
      await this.#parts.release();
    }
  }

  async #endScanner(): Promise<void> {
    await this.#scanner?.[Symbol.asyncDispose]();
  }
}

/** What is known of a folder with nothing in it. */
function emptyFolder(folder: string): DiskNode | undefined {
  const path = diskPath(folder, '');
  const stat = readDiskStat(path);
  if (stat === undefined || readDiskNames(path).length > 0) return undefined;
  return { stat, xattrs: undefined, isWhole: false, children: new Map() };
}
