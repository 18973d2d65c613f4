import type { ByteString } from '../content/byte-string.ts';
import type { Extent } from '../content/extent.ts';
import type { FileContent } from '../content/file-content.ts';
import type { ObjectId } from '../content/object-id.ts';
import type { Radix } from '../content/radix.ts';
import type { ContentCache } from '../live/content-cache.ts';
import type { Inode } from '../live/inode.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import type { PageRef } from './directory.ts';

/** The names between two boundaries of a directory, and their pages; mostly one. */
export interface SealedGroup {
  readonly names: readonly ByteString[];
  readonly pages: readonly PageRef[];
}

/** The result of sealing a directory that the next seal reuses. */
export interface SealedDirectory {
  readonly id: ObjectId;
  readonly groups: readonly SealedGroup[];
}

/** Content that a seal has hashed, and that counts as durable once its objects are stored. */
export interface PendingContent {
  readonly extents: { readonly extent: Extent; readonly id: ObjectId }[];
  readonly files: { readonly inode: Inode; readonly content: FileContent }[];
}

/** A snapshot with its ids, from which the next seal starts. */
export class SealedTree {
  /** The id of the tree root. */
  readonly id: ObjectId;
  readonly snapshot: TreeSnapshot;
  readonly directories: Radix<SealedDirectory>;
  /** Pages of the list of hard links. */
  readonly links: readonly ObjectId[];
  /** Whether its inodes have the numbers that loading it would give them. */
  readonly isLoaded: boolean;
  #pending: PendingContent;
  /** Computed from `#pending` on first use. */
  #contents: ReadonlyMap<Inode, FileContent> | undefined;

  constructor(
    id: ObjectId,
    parts: {
      readonly snapshot: TreeSnapshot;
      readonly directories: Radix<SealedDirectory>;
      readonly links: readonly ObjectId[];
      readonly pending?: PendingContent;
      readonly isLoaded?: boolean;
    },
  ) {
    this.id = id;
    this.snapshot = parts.snapshot;
    this.directories = parts.directories;
    this.links = parts.links;
    this.isLoaded = parts.isLoaded ?? false;
    this.#pending = parts.pending ?? { extents: [], files: [] };
  }

  /** Contents of the files that this seal visited, for callers that need them before `settle`. */
  contentOf(inode: Inode): FileContent | undefined {
    if (inode.content) return inode.content;
    this.#contents ??= new Map(this.#pending.files.map((file) => [file.inode, file.content]));
    return this.#contents.get(inode);
  }

  /**
   * Call once the objects of this seal are durable, and before it is used as `previous`: hashed content is not
   * hashed again, and `cache` may evict bytes that it can load again.
   */
  settle(cache?: ContentCache): void {
    for (const { extent, id } of this.#pending.extents) {
      if (extent.id !== undefined) continue;
      extent.id = id;
      cache?.addClean(extent);
    }
    for (const { inode, content } of this.#pending.files) inode.content = content;
    this.#pending = { extents: [], files: [] };
  }
}
