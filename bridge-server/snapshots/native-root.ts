import type { ByteString } from '../../tree/live/byte-string.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { CollectOptions, Root, RootMount } from '../contract.ts';
import { collectChanges } from './collect-changes.ts';
import type { DiskNode, DiskStat } from './disk-node.ts';
import type { HostAbilities } from './kept-metadata.ts';
import { scanFolder } from './scan-folder.ts';

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
  /** Where what changes is found: the upper directory of an overlay, or the copy. */
  readonly folder: string;
  readonly abilities: HostAbilities;
  /** Set for an overlay: what the layers below the upper directory have at a path. */
  readonly lowerStat: ((path: ByteString) => DiskStat | undefined) | undefined;
  /** Set where the folder is as it was seen elsewhere, inode numbers and times included. */
  readonly seen?: SeenFolder | undefined;
  /** Set where files can be held. Answers `undefined` when there is no room for it: they are read in place then. */
  readonly hold?: (() => Promise<HeldFolder | undefined>) | undefined;
  /** Gives up the root's folder and what it shares with others. */
  readonly release: () => Promise<void>;
}

/** A clock that ticks every 10 ms (HZ=100) may stamp two changes alike; twice that is safe. */
const racyNs = 20_000_000n;

/** A root whose changes are found by looking at files: cheap for an overlay, all of them for a copy. */
export class NativeRoot implements Root {
  readonly mount: RootMount;
  readonly #parts: NativeRootParts;
  #seen: SeenFolder;
  /** Whether a tree tells all that the folder has. */
  #isTold = true;
  /** What was last collected to be published. */
  #held: { readonly files: HeldFolder; readonly seen: SeenFolder } | undefined;
  #released: Promise<void> | undefined;

  /** Takes what is in the folder now as what the tree has. @throws as `scanFolder` */
  constructor(parts: NativeRootParts) {
    this.#parts = parts;
    this.mount = parts.mount;
    this.#seen = parts.seen ?? firstSeen(parts);
  }

  async collect(tree: LiveTree, { isPublished, onRead }: CollectOptions = {}): Promise<number> {
    const { abilities, lowerStat, hold } = this.#parts;
    const racyFromNs = nowNs() - racyNs;
    const files = isPublished ? await hold?.() : undefined;
    const folder = files?.folder ?? this.#parts.folder;
    try {
      if (files) await onRead?.();
      const isUpper = lowerStat !== undefined;
      const { root: before, racyFromNs: wasRacyFromNs } = this.#seen;
      const scan = scanFolder(folder, { before, isUpper, racyFromNs: wasRacyFromNs });
      const count = await collectChanges(scan.changes, {
        folder,
        tree,
        abilities,
        lowerStat,
        onUntold: () => {
          this.#isTold = false;
        },
      });
      // Only now: after a failure the same changes are found again.
      this.#seen = { root: scan.root, racyFromNs };
      if (isPublished) this.#takeHeld(files);
      return count;
    } catch (error) {
      files?.discard();
      throw error;
    }
  }

  published(tree: ObjectId): void {
    // Other sandboxes may have the same tree, and get no more than it tells.
    if (!this.#isTold) return;
    this.#held?.files.keep(tree, this.#held.seen);
    this.#held = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#takeHeld(undefined);
    this.#released ??= this.#parts.release();
    return this.#released;
  }

  /** Nobody asks for what was held before. */
  #takeHeld(files: HeldFolder | undefined): void {
    this.#held?.files.discard();
    this.#held = files && { files, seen: this.#seen };
  }
}

function firstSeen({ folder, lowerStat }: NativeRootParts): SeenFolder {
  const racyFromNs = nowNs() - racyNs;
  const { root } = scanFolder(folder, { before: undefined, isUpper: lowerStat !== undefined, racyFromNs });
  return { root, racyFromNs };
}

function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}
