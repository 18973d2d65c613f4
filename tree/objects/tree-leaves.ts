import { fanOut, put, Radix, type RadixNode } from '../content/radix.ts';
import type { Ino } from '../live/file-tree.ts';
import type { Inode } from '../live/inode.ts';
import { rootIno } from '../live/tree-snapshot.ts';
import type { SealedDirectory } from './sealed-tree.ts';

/** Loads the content of deferred leaves. */
export interface LeafMaker {
  /** Loads at least this leaf. */
  makeLeaf(leaf: number): void;
}

/** How many leaves the names of one directory take. */
export function leavesOf(names: number): number {
  return Math.ceil(names / fanOut);
}

/**
 * The inode table of a tree that is being loaded, and its directories' seals: the leaf nodes of both. The inodes of
 * a directory have consecutive numbers, in the order of their names' bytes, in leaves of their own, so that the
 * leaves can be deferred until one of the inodes is accessed. The root has the first number.
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

  /** The inode number after the last one. */
  get nextIno(): Ino {
    return this.#inodes.length * fanOut;
  }

  /** Allocates leaves for one directory's names; answers the number of the first. */
  add(names: number): Ino {
    const first = this.nextIno;
    for (let left = leavesOf(names); left > 0; left--) {
      this.#inodes.push({ epoch: this.epoch, children: [], values: [], deferred: undefined });
      this.#directories.push({ epoch: this.epoch, children: [], values: [], deferred: undefined });
    }
    return first;
  }

  /** Allocates leaves that `maker` loads on first access. */
  addDeferred(count: number, maker: LeafMaker): void {
    for (let left = count; left > 0; left--) {
      const leaf = this.#inodes.length;
      const deferred = (): void => maker.makeLeaf(leaf);
      this.#inodes.push({ epoch: this.epoch, children: [], values: [], deferred });
      this.#directories.push({ epoch: this.epoch, children: [], values: [], deferred });
    }
  }

  /** Stores an inode under its number. */
  put(inode: Inode): void {
    putAt(this.#inodes, inode.ino, inode);
  }

  /** Sets the seal of the directory with this inode number. */
  putDirectory(ino: Ino, sealed: SealedDirectory): void {
    putAt(this.#directories, ino, sealed);
  }

  /** Marks the `count` leaves from `leaf` on as loaded. */
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
