import { SandboxError } from '../../protocol/errors.ts';
import { imageArchitecture } from '../../protocol/image-manifest.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import { type ImageObjects, noImageObjects } from '../image-objects.ts';
import type { LocalSandbox } from '../local-sandbox.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import { firstFiles, storedFiles } from './first-files.ts';
import type {
  DriverStart,
  FilesDriver,
  ImageDriver,
  LoadedImage,
  RuntimeDriver,
  WhichImage,
} from './runtime-driver.ts';

/** What a sandbox is started from, beside its store: a runtime, and an image that is loaded, or none. */
export interface LoadedBase {
  readonly driver: RuntimeDriver;
  readonly image?: LoadedImage;
  /** What its store need not hold. */
  readonly objects: ImageObjects;
  /** As that of its driver. */
  start(info: SandboxRecord, parts: DriverStart): Promise<LocalSandbox>;
}

type ImageBase = LoadedBase & { readonly image: LoadedImage };

/** That of a sandbox, by its digest; without an image, there is nothing to load. @throws as `loadImageBase` does */
export async function loadBase(
  driver: RuntimeDriver,
  which: { readonly digest: string },
  onProgress: ProgressListener,
): Promise<LoadedBase> {
  return driver.images ? loadImageBase(driver, which, onProgress) : filesBase(driver);
}

/**
 * One that a sandbox was made from and that cannot be had is told as such.
 * @throws asset-unavailable, version-mismatch, corrupt-object, unsupported
 */
export async function loadImageBase(
  driver: ImageDriver,
  which: WhichImage,
  onProgress: ProgressListener,
): Promise<ImageBase> {
  try {
    const image = await driver.images.load(which, onProgress);
    await driver.images.assertRuns(imageArchitecture(image.manifest));
    return imageBase(driver, image);
  } catch (cause) {
    const error = SandboxError.from(cause);
    if (!('digest' in which) || error.code !== 'asset-unavailable') throw error;
    const why = 'what runs it no longer has the image it was made from, or has never had it';
    throw new SandboxError('asset-unavailable', `Cannot start the sandbox: ${why}. ${error.message}`, {
      cause: error,
      details: { ...which },
    });
  }
}

/** An image that is loaded already. */
export function imageBase(driver: ImageDriver, image: LoadedImage): ImageBase {
  const start: LoadedBase['start'] = (info, parts) => driver.start(info, { ...parts, image });
  return { driver, image, objects: image.source, start };
}

export function filesBase(driver: FilesDriver): LoadedBase {
  const begins = () => {
    const { tree, objects } = storedFiles(firstFiles(driver));
    return { id: tree.id, objects };
  };
  const start: LoadedBase['start'] = (info, parts) => driver.start(info, { ...parts, begins });
  return { driver, objects: noImageObjects, start };
}
