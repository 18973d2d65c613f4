import type { ByteString } from '../../tree/live/byte-string.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { CollectOptions, Root, RootMount } from '../contract.ts';
import { collectChanges } from './collect-changes.ts';
import { type DiskNode, type DiskStat, diskPath, readDiskNames, readDiskStat } from './disk-node.ts';
import { FolderScanner } from './folder-scanner.ts';
import type { HostAbilities } from './kept-metadata.ts';
import { type Scan, scanFolder } from './scan-folder.ts';

export interface NativeRootParts {
  readonly mount: RootMount;
  /** Where what changes is found: the upper directory of an overlay, or the copy. */
  readonly folder: string;
  /** The program that looks there (`buildScanner`). */
  readonly scanner: string;
  readonly abilities: HostAbilities;
  /** Set for an overlay: what the layers below the upper directory have at a path. */
  readonly lowerStat: ((path: ByteString) => DiskStat | undefined) | undefined;
  /** Gives up the root's folder and what it shares with others. */
  readonly release: () => Promise<void>;
}

/** A clock that ticks every 10 ms (HZ=100) may stamp two changes alike; twice that is safe. */
const racyNs = 20_000_000n;

/** A root whose changes are found by looking at files: cheap for an overlay, all of them for a copy. */
export class NativeRoot implements Root {
  readonly mount: RootMount;
  readonly #parts: NativeRootParts;
  /** Kept from look to look, as it tells only what is new to it; gone after a failure. */
  #scanner: FolderScanner | undefined;
  #known: DiskNode | undefined;
  #racyFromNs: bigint = nowNs() - racyNs;
  #released: Promise<void> | undefined;

  private constructor(parts: NativeRootParts) {
    this.#parts = parts;
    this.mount = parts.mount;
  }

  /** Takes what is in the folder now as what the tree has. @throws as `scanFolder` */
  static async open(parts: NativeRootParts): Promise<NativeRoot> {
    const root = new NativeRoot(parts);
    root.#known = emptyFolder(parts.folder);
    // What a fresh upper directory has is no work for a process.
    if (root.#known) return root;
    await root.#look(async (_, scan) => {
      root.#known = scan.commit();
    });
    return root;
  }

  async collect(tree: LiveTree, { onRead }: CollectOptions = {}): Promise<number> {
    const { abilities, lowerStat } = this.#parts;
    const startedNs = nowNs();
    return this.#look(async (scanner, scan) => {
      const count = await collectChanges(scan.changes, { scanner, tree, abilities, lowerStat, onRead });
      // Only now: after a failure the same changes are found again.
      this.#known = scan.commit();
      this.#racyFromNs = startedNs - racyNs;
      return count;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** Lets `use` have what is found, and nothing of it be remembered when that fails. */
  async #look<T>(use: (scanner: FolderScanner, scan: Scan) => Promise<T>): Promise<T> {
    const { folder, scanner: program, lowerStat } = this.#parts;
    const kept = this.#scanner?.hasEnded ? undefined : this.#scanner;
    const scanner = kept ?? new FolderScanner(program, folder);
    this.#scanner = scanner;
    try {
      const isUpper = lowerStat !== undefined;
      const options = { before: this.#known, isUpper, racyFromNs: this.#racyFromNs };
      return await use(scanner, await scanFolder(scanner, options));
    } catch (error) {
      this.#scanner = undefined;
      await scanner[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #release(): Promise<void> {
    try {
      await this.#scanner?.[Symbol.asyncDispose]();
    } finally {
      await this.#parts.release();
    }
  }
}

/** What is known of a folder with nothing in it. */
function emptyFolder(folder: string): DiskNode | undefined {
  const path = diskPath(folder, '');
  const stat = readDiskStat(path);
  if (stat === undefined || readDiskNames(path).length > 0) return undefined;
  return { stat, xattrs: undefined, isWhole: false, children: new Map() };
}

function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}
