import type { ByteString } from '../../tree/live/byte-string.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { Root, RootMount } from '../contract.ts';
import { collectChanges } from './collect-changes.ts';
import type { DiskNode, DiskStat } from './disk-node.ts';
import type { HostAbilities } from './kept-metadata.ts';
import { type Scan, scanFolder } from './scan-folder.ts';

export interface NativeRootParts {
  readonly mount: RootMount;
  /** Where what changes is found: the upper directory of an overlay, or the copy. */
  readonly folder: string;
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
  #known: DiskNode;
  #racyFromNs: bigint;
  #released: Promise<void> | undefined;

  /** Takes what is in the folder now as what the tree has. @throws as `scanFolder` */
  constructor(parts: NativeRootParts) {
    this.#parts = parts;
    this.mount = parts.mount;
    this.#racyFromNs = nowNs() - racyNs;
    this.#known = this.#scan(undefined).root;
  }

  async collect(tree: LiveTree): Promise<number> {
    const { folder, abilities, lowerStat } = this.#parts;
    const startedNs = nowNs();
    const scan = this.#scan(this.#known);
    const count = await collectChanges(scan.changes, { folder, tree, abilities, lowerStat });
    // Only now: after a failure the same changes are found again.
    this.#known = scan.root;
    this.#racyFromNs = startedNs - racyNs;
    return count;
  }

  /** Nothing is held. */
  published(): void {}

  [Symbol.asyncDispose](): Promise<void> {
    this.#released ??= this.#parts.release();
    return this.#released;
  }

  #scan(before: DiskNode | undefined): Scan {
    const isUpper = this.#parts.lowerStat !== undefined;
    return scanFolder(this.#parts.folder, { before, isUpper, racyFromNs: this.#racyFromNs });
  }
}

function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}
