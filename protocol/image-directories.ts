import type { ObjectId } from '../tree/content/object-id.ts';
import type { DirectorySize, KnownDirectories } from '../tree/objects/known-directories.ts';

/** Increase it with every change of what rows mean, or of how many leaves names take (`leavesOf`). */
export const directoryRowsVersion = 1;

/** A directory of an image: the place of its object in the metadata, and its size, in the order of `DirectorySize`. */
export type DirectoryRow = readonly [
  place: number,
  names: number,
  directories: number,
  leaves: number,
  inodes: number,
  bytes: number,
  height: number,
];

/**
 * Sizes of an image's directories that some tree has loaded: the next tree with the same directories loads them on
 * first access. Can be stored as rows.
 */
export class ImageDirectories implements KnownDirectories {
  readonly #places: ReadonlyMap<ObjectId, number>;
  readonly #sizes = new Map<ObjectId, DirectorySize>();

  /** `ids` are those of the metadata's objects, in their order; `rows` were kept of the same metadata. */
  constructor(ids: Iterable<ObjectId>, rows: readonly DirectoryRow[] = []) {
    const list = [...ids];
    this.#places = new Map(list.map((id, place) => [id, place]));
    for (const [place, names, directories, leaves, inodes, bytes, height] of rows) {
      const id = list[place];
      if (id !== undefined) this.#sizes.set(id, { names, directories, leaves, inodes, bytes, height });
    }
  }

  get(id: ObjectId): DirectorySize | undefined {
    return this.#sizes.get(id);
  }

  /** Only the image's directories are recorded: others may be deleted before they are accessed. */
  note(id: ObjectId, size: DirectorySize): void {
    if (this.#places.has(id)) this.#sizes.set(id, size);
  }

  rows(): DirectoryRow[] {
    return Array.from(this.#sizes, ([id, size]) => {
      const { names, directories, leaves, inodes, bytes, height } = size;
      return [this.#places.get(id) ?? 0, names, directories, leaves, inodes, bytes, height];
    });
  }
}
