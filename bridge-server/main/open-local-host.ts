import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import type { BuiltImage } from '../../host/images/built-image.ts';
import { placeImage } from '../../host/images/place-image.ts';
import { createProgress, type Progress } from '../../host/progress.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import type { ImagePlacer } from '../sandboxes/host-images.ts';
import { buildPrograms, type HostPrograms } from './build-programs.ts';
import { defaultHostImage } from './default-host-image.ts';
import { holdFolder } from './hold-folder.ts';
import { enterIdRange } from './id-range.ts';
import { type Host, type HostOptions, openHost } from './open-host.ts';

interface Making {
  readonly cache: CacheFolder;
  readonly progress: Progress;
}

/** Finds an image by its name, or makes it: `provideImage` of the image builder, which no host loads by itself. */
export type ImageProvider = (
  name: string,
  options: Making & { readonly golden: boolean },
) => Promise<BuiltImage>;

export interface LocalHostOptions extends Omit<HostOptions, keyof HostPrograms | 'hold' | 'placeImage'> {
  /**
   * Has `images` ready in the host's folder. Without it, sandboxes are made of the images that are there, and to ask
   * for another one is `asset-unavailable`.
   */
  readonly provideImage?: ImageProvider | undefined;
  /** The first is that of sandboxes that do not name one. None: the tab's, or its twin where that does not run here. */
  readonly images?: readonly string[] | undefined;
  /**
   * Whether images are made when a sandbox first asks for one, also for one that is not among `images`: nothing is made
   * by opening then. By default they are there once the host is open.
   */
  readonly imagesOnDemand?: boolean | undefined;
  /**
   * The image that a new sandbox is about to ask for, with `imagesOnDemand`: one that is not there is made before the
   * folder is held for good, so that other processes use the folder meanwhile. By default it is made when it is asked for.
   */
  readonly imageAhead?: string | undefined;
  /**
   * Whether an ordinary user's program is started anew with the range of ids of that user (`enterIdRange`), where there
   * is one: for a command that has nothing open yet. By default not.
   */
  readonly entersIdRange?: boolean | undefined;
  /** Where images and programs are kept once they are made; by default the user's cache. */
  readonly cache?: CacheFolder | undefined;
  /** Told what is made, which takes minutes the first time; by default standard error. */
  readonly progress?: Progress | undefined;
}

/** This machine's sandboxes in a folder, with all that they run with. */
export interface LocalHost extends Host {
  readonly programs: HostPrograms;
  /** Unpacks the images, which the first sandbox of each would wait for otherwise. @throws as `prepare` */
  prepareImages(): Promise<void>;
}

/**
 * Opens the sandboxes of a folder on this machine, in this process: takes the folder, makes or finds its images and
 * programs, and opens what is there. A folder belongs to one process at a time: another is refused before anything is
 * made.
 * @throws busy with who holds the folder (`holdFolder`); unsupported where no program can be compiled; and as
 * `openHost` and `provideImage`
 */
export async function openLocalHost(options: LocalHostOptions): Promise<LocalHost> {
  if (options.entersIdRange) await enterIdRange();
  const { cache = new CacheFolder(cachePath()), progress = createProgress() } = options;
  const making = { cache, progress };
  const host = await openHeld(options, making);
  const { folder, provideImage, imagesOnDemand, imageAhead } = options;
  if (imageAhead === undefined || !provideImage || !imagesOnDemand) return host;
  if (existsSync(join(folder, 'images', `${imageAhead}.json`))) return host;
  // Only now, as a host without jails needs no image.
  await host[Symbol.asyncDispose]();
  const name = await imageName(imageAhead, options, making);
  await provideImage(name, { ...making, golden: true });
  await using stack = new AsyncDisposableStack();
  const chosen = imageAhead === defaultImage ? { ...options, images: [name] } : options;
  const again = stack.use(await openHeld(chosen, making));
  await progress.step(`Unpack ${name}`, () => again.prepare(imageAhead));
  const owned = stack.move();
  return { ...again, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function openHeld(options: LocalHostOptions, making: Making): Promise<LocalHost> {
  const { folder } = options;
  const { progress } = making;
  await using stack = new AsyncDisposableStack();
  const hold = stack.use(holdFolder(folder));
  const images = options.imagesOnDemand ? [] : await placeImages(options, making);
  const programs = await buildPrograms(making);
  const host = stack.use(
    await openHost({ ...options, ...programs, hold, placeImage: placerOf(options, making) }),
  );
  const owned = stack.move();
  return {
    ...host,
    programs,
    prepareImages: async () => {
      for (const name of images) await progress.step(`Unpack ${name}`, () => host.prepare(name));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function placerOf(options: LocalHostOptions, making: Making): ImagePlacer | undefined {
  const { folder, provideImage, imagesOnDemand } = options;
  if (!provideImage || !imagesOnDemand) return undefined;
  return async (asked) => {
    const name = await imageName(asked, options, making);
    const image = await provideImage(name, { ...making, golden: true });
    await placeImage(image, { to: join(folder, 'images'), isDefault: asked === defaultImage });
  };
}

/** The first of `images` is the default, as in `placeImages`. */
async function imageName(
  asked: string,
  { images = [] }: LocalHostOptions,
  { progress }: Making,
): Promise<string> {
  return asked === defaultImage ? (images[0] ?? (await chooseImage(progress))) : asked;
}

/** Their names. */
async function placeImages(
  { folder, provideImage, images = [] }: LocalHostOptions,
  making: Making,
): Promise<readonly string[]> {
  if (!provideImage) return images;
  const names = images.length > 0 ? images : [await chooseImage(making.progress)];
  for (const [index, name] of names.entries()) {
    const image = await provideImage(name, { ...making, golden: true });
    await placeImage(image, { to: join(folder, 'images'), isDefault: index === 0 });
  }
  return names;
}

async function chooseImage(progress: Progress): Promise<string> {
  const { name, why } = await defaultHostImage();
  if (why !== undefined) {
    progress.warn(`Sandboxes begin with the image ${name}, and those of tabs cannot move here: ${why}`);
  }
  return name;
}
