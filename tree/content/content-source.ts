import type { ObjectId } from './object-id.ts';

/**
 * Where file content that is not in memory comes from. Synchronous, because the guest's read waits
 * for it: a local store, an unpacked image, at worst a blocking request.
 */
export interface ContentSource {
  /**
   * The canonical bytes of an object, kind byte included. The tree copies what it keeps.
   * @throws when the object is missing; the reader of the file sees EIO
   */
  read(id: ObjectId): Uint8Array;
}

/** The source of a tree whose content is all in memory. */
export const noContent: ContentSource = {
  read(id) {
    throw new RangeError(`Cannot read object ${id}: this tree has no content source`);
  },
};
