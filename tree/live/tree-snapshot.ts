import type { Radix } from '../content/radix.ts';
import type { Ino } from './file-tree.ts';
import type { Inode } from './inode.ts';

/**
 * A tree at one instant: an immutable value that is free to take and costs only the nodes that later changes
 * replace. Made by `LiveTree.snapshot` and `loadTree`; read by `sealTree`, `LiveTree.from`.
 */
export interface TreeSnapshot {
  readonly inodes: Radix<Inode>;
  /** Removed inodes that were still open. */
  readonly unlinked: Radix<true>;
  /** Regular files and others with more than one name. */
  readonly hardLinked: Radix<true>;
  readonly nextIno: Ino;
  readonly usedBytes: number;
  readonly usedInodes: number;
  /** No directory lies deeper than this; the root is at 0. */
  readonly depthBound: number;
}

/** The inode number of every tree's root. */
export const rootIno: Ino = 1;
