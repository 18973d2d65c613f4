import type { Ino } from '../live/file-tree.ts';
import type { Inode } from '../live/inode.ts';
import { fanOut, put, Radix, type RadixNode } from '../live/radix.ts';
import { rootIno } from '../live/tree-snapshot.ts';
import type { SealedDirectory } from './sealed-tree.ts';

/** Whoever makes what is in leaves that were left out. */
export interface LeafMaker {
  /** Makes at least that one. */
  makeLeaf(leaf: number): void;
}

/** How many leaves the names of one directory take. */
export function leavesOf(names: number): number {
  return Math.ceil(names / fanOut);
}

/**
 * The inode table of a tree that is being loaded, and its directories' seals beside it: nodes of the
 * lowest level of both. What is in a directory has numbers in a row, by the names' bytes, and leaves
 * of its own, so that they can be left out until somebody looks for one of them. The root has the first.
 */
export class TreeLeaves {
  readonly epoch: number;
  readonly #inodes: RadixNode<Inode>[] = [];
  readonly #directories: RadixNode<SealedDirectory>[] = [];

  constructor(epoch: number) {
    this.epoch = epoch;
    this.add(rootIno);
  }

  get count(): number {
    return this.#inodes.length;
  }

  /** The first inode number behind all that there are. */
  get nextIno(): Ino {
    return this.#inodes.length * fanOut;
  }

  /** Leaves for one directory's names; answers the number of the first. */
  add(names: number): Ino {
    const first = this.nextIno;
    for (let left = leavesOf(names); left > 0; left--) {
      this.#inodes.push({ epoch: this.epoch, children: [], values: [], deferred: undefined });
      this.#directories.push({ epoch: this.epoch, children: [], values: [], deferred: undefined });
    }
    return first;
  }

  /** Leaves that `maker` makes when one of them is looked at. */
  addDeferred(count: number, maker: LeafMaker): void {
    for (let left = count; left > 0; left--) {
      const leaf = this.#inodes.length;
      const deferred = (): void => maker.makeLeaf(leaf);
      this.#inodes.push({ epoch: this.epoch, children: [], values: [], deferred });
      this.#directories.push({ epoch: this.epoch, children: [], values: [], deferred });
    }
  }

  /** Puts an inode in the place that its number gives it. */
  put(inode: Inode): void {
    putAt(this.#inodes, inode.ino, inode);
  }

  /** Tells how the directory with this inode number is stored. */
  putDirectory(ino: Ino, sealed: SealedDirectory): void {
    putAt(this.#directories, ino, sealed);
  }

  /** Says that all is in its place in the `count` leaves from `leaf` on. */
  settle(leaf: number, count: number): void {
    for (let at = leaf; at < leaf + count; at++) {
      for (const node of [this.#inodes[at], this.#directories[at]]) if (node) node.deferred = undefined;
    }
  }

  inodes(): Radix<Inode> {
    return Radix.ofLeaves(this.#inodes, this.epoch);
  }

  directories(): Radix<SealedDirectory> {
    return Radix.ofLeaves(this.#directories, this.epoch);
  }
}

function putAt<T>(leaves: readonly RadixNode<T>[], index: number, value: T): void {
  const leaf = leaves[Math.floor(index / fanOut)];
  if (leaf) put(leaf.values, index % fanOut, value);
}
