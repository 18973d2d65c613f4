import type { ObjectId } from '../content/object-id.ts';

/** The size of everything below a directory in which no file has a second name. */
export interface DirectorySize {
  /** Names in the directory itself. */
  readonly names: number;
  /** Those of them that are directories. */
  readonly directories: number;
  /** Nodes of the inode table that hold what is below (`TreeLeaves`). */
  readonly leaves: number;
  /** Inodes below, without its own. */
  readonly inodes: number;
  /** Their share of a tree's `totalBytes`. */
  readonly bytes: number;
  /** Levels of directories below. */
  readonly height: number;
}

/**
 * Sizes of stored directories that have been loaded before. A known directory need not be read to load a tree that
 * contains it; all directories below it are known as well.
 */
export interface KnownDirectories {
  get(id: ObjectId): DirectorySize | undefined;
  /** Called with each directory that was read, after those in it. */
  note(id: ObjectId, size: DirectorySize): void;
}
