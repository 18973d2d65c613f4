import { SandboxError } from '../protocol/errors.ts';
import { ImageDirectories } from '../protocol/image-directories.ts';
import type { ImageSource } from '../protocol/image-source.ts';
import type { ObjectId } from '../tree/content/object-id.ts';

/** The objects of an image, which every backend that has it has: stores of sandboxes need not hold them. */
export interface ImageObjects
  extends Pick<ImageSource, 'has' | 'read' | 'directories'>,
    Partial<Pick<ImageSource, 'readAhead'>> {
  /** The root of its file tree; `undefined` where there is no image. */
  readonly tree: ObjectId | undefined;
}

/** Of a sandbox without an image, or with one that is not to be had. */
export const noImageObjects: ImageObjects = {
  tree: undefined,
  directories: new ImageDirectories([]),
  has: () => false,
  read(id) {
    throw new SandboxError('missing-object', `Object ${id.slice(0, 12)} is missing`, { details: { id } });
  },
};
