import type { ObjectId } from './object-id.ts';

/** How much is below a directory, all the way down, where no file has a second name. */
export interface DirectorySize {
  /** Names in the directory itself. */
  readonly names: number;
  /** Those of them that are directories. */
  readonly directories: number;
  /** Nodes of the inode table that hold what is below (`TreeLeaves`). */
  readonly leaves: number;
  /** Inodes below, without its own. */
  readonly inodes: number;
  /** What those take of a tree's `totalBytes`. */
  readonly bytes: number;
  /** Levels of directories below. */
  readonly height: number;
}

/**
 * Sizes of stored directories that have been loaded before. A directory that is known need not be
 * read to load a tree that has it; whatever directories it has are known as well.
 */
export interface KnownDirectories {
  get(id: ObjectId): DirectorySize | undefined;
  /** Told of each directory that was read, what it has before itself. */
  note(id: ObjectId, size: DirectorySize): void;
}
