import { join } from 'node:path';
import { CacheFolder } from '../../host/cache/cache-folder.ts';
import { dropImage, hasImage, placedImages, placeImage } from '../../host/images/place-image.ts';
import type { Progress } from '../../host/progress.ts';
import type { ImageOrigin } from '../../images/import/image-origin.ts';
import { importImage } from '../../images/import/import-image.ts';
import type { Architecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { Place } from '../place/place.ts';
import { fileError } from '../transfer/file-ends.ts';

/** Beside the images of a folder: where they are made. */
const makingFolder = 'importing';

export interface ImportRootOptions {
  /** The folder of sandboxes. */
  readonly folder: string;
  /** Of the sandbox, which gives the image its name. */
  readonly sandbox: string;
  readonly architecture?: Architecture | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** An image that a sandbox can begin with, and what a person should know about it. */
export interface ImportedRoot {
  readonly image: string;
  readonly remarks: readonly string[];
  /** Takes it away again, unless it was there before: for who could not make a sandbox of it. */
  drop(): Promise<void>;
}

/**
 * Makes an image of files of this host in a folder of sandboxes, for `Sandbox.create`. One that was made for the same
 * name before is replaced; sandboxes of it keep theirs. All or nothing of it is there.
 * @throws as `importImage`; storage-full, forbidden, aborted
 */
export async function importRoot(
  origin: ImageOrigin,
  { folder, sandbox, architecture, progress, signal }: ImportRootOptions,
): Promise<ImportedRoot> {
  const making = new CacheFolder(join(folder, makingFolder));
  const remarks: string[] = [];
  const warn = (remark: string) => {
    remarks.push(remark);
    progress.warn(remark);
  };
  const image = imageNameOf(sandbox);
  const images = join(folder, 'images');
  try {
    await making.sweep();
    const placed = await making.withTemporaryFolder(async (path) => {
      const request = { name: image, origin, architecture, namesUser: true };
      const built = await importImage(request, {
        cache: new CacheFolder(path),
        progress: { ...progress, warn },
        signal,
      });
      const isNew = !(await hasImage(built, images));
      await placeImage(built, { to: images, isDefault: false, isDroppable: isNew }).catch(
        async (error: unknown) => {
          if (isNew) await dropImage(built, images);
          throw error;
        },
      );
      return { built, isNew };
    });
    return {
      image,
      remarks,
      drop: async () => {
        if (placed.isNew) await dropImage(placed.built, images);
      },
    };
  } catch (error) {
    const what = `make a sandbox of ${origin.type === 'folder' ? origin.path : origin.from}`;
    if (signal.aborted) throw new SandboxError('aborted', `Cannot ${what}: interrupted`, { cause: error });
    throw fileError(error, what);
  }
}

/**
 * Deletes the images that were made so and that no sandbox of the folder has any more; the command has to hold the folder. Resolves
 * to their names. @throws storage errors of the host
 */
export async function dropUnusedImages({ backend, name: folder }: Place): Promise<string[]> {
  const used = new Set((await backend.list()).map(({ imageDigest }) => imageDigest));
  const images = join(folder, 'images');
  const dropped: string[] = [];
  for (const [digest, image] of await placedImages(images)) {
    if (used.has(digest) || !image.isDroppable) continue;
    await dropImage(image, images);
    dropped.push(image.manifest.name);
  }
  return dropped;
}

/** Names of images have fewer characters than those of sandboxes. */
function imageNameOf(sandbox: string): string {
  return `of-${sandbox.toLowerCase().replace(/[^a-z0-9.-]+/g, '-')}`.slice(0, 64);
}
