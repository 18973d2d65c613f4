import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileAssets } from '../../host/images/file-assets.ts';
import { readKnownDirectories, writeKnownDirectories } from '../../host/images/known-directories.ts';
import { SandboxError } from '../../protocol/errors.ts';
import {
  type ImageManifest,
  imageArchitecture,
  imageNamePattern,
  parseImageManifest,
} from '../../protocol/image-manifest.ts';
import { ImageSource } from '../../protocol/image-source.ts';
import { limits } from '../../protocol/limits.ts';
import { defaultImage, type HostImage } from '../../protocol/sandbox/backend.ts';
import type { LoadedImage, WhichImage } from '../../sandbox/backend/runtime-driver.ts';

/** Places the image of a name in the folder of a host. @throws asset-unavailable, not-found, unsupported, storage-full */
export type ImagePlacer = (name: string) => Promise<void>;

const isDigest = /^[0-9a-f]{64}$/;

/** The images that were placed in a folder of this host (`placeImage`): each is opened once, and kept. */
export class HostImages {
  readonly #folder: string;
  readonly #assets: FileAssets;
  readonly #open = new Map<string, Promise<ImageSource>>();
  readonly #provide: ImagePlacer | undefined;
  readonly #providing = new Map<string, Promise<void>>();

  /** Of each open image: how many of its directories the folder already knows the sizes of. */
  readonly #keptRows = new Map<ImageSource, number>();

  /** An image that is not there is asked of `provide`, where that is given, by the name of the image. */
  constructor(folder: string, { provide }: { readonly provide?: ImagePlacer | undefined } = {}) {
    this.#folder = folder;
    this.#provide = provide;
    this.#assets = new FileAssets(folder);
  }

  /** @throws asset-unavailable, version-mismatch, corrupt-object, invalid-argument */
  async load(which: WhichImage): Promise<LoadedImage> {
    const name = 'digest' in which ? which.digest : which.name;
    const text = await this.#readManifest(name).catch((error: unknown) => {
      if ('digest' in which || !this.#provide) throw error;
      return this.#provideOnce(name, this.#provide).then(() => this.#readManifest(name));
    });
    const digest = createHash('sha256').update(text).digest('hex');
    if ('digest' in which && which.digest !== digest)
      throw unavailable(name, 'its manifest is not what its name says');
    const source = await this.#openOnce(digest, text);
    return { manifest: source.manifest, digest, source };
  }

  /** Keeps what trees have told about directories of images, so that the next process loads only those that it uses. */
  async keepKnown(): Promise<void> {
    for (const [source, kept] of this.#keptRows) {
      const rows = source.directories.rows().length;
      if (rows > kept) await writeKnownDirectories(this.#folder, source);
      this.#keptRows.set(source, rows);
    }
  }

  /** The images that have a name, in the order of those; what cannot be read is left out. */
  async list(): Promise<HostImage[]> {
    const files = await readdir(this.#folder).catch(() => []);
    const names = files.flatMap((file) => (file.endsWith('.json') ? file.slice(0, -'.json'.length) : []));
    const isImage = (name: string) =>
      name !== defaultImage && !isDigest.test(name) && imageNamePattern.test(name);
    const standard = await this.#readManifest(defaultImage).catch(() => '');
    const images: HostImage[] = [];
    for (const name of names.filter(isImage).toSorted().slice(0, limits.hostImages)) {
      const text = await this.#readManifest(name).catch(() => undefined);
      const image = text === undefined ? undefined : summarize(name, text);
      if (image) images.push({ ...image, isDefault: text === standard });
    }
    return images;
  }

  #openOnce(digest: string, text: string): Promise<ImageSource> {
    const opening = this.#open.get(digest) ?? this.#openImage(parseImageManifest(text));
    this.#open.set(digest, opening);
    opening.catch(() => this.#open.delete(digest)); // The next asks again.
    return opening;
  }

  async #openImage(manifest: ImageManifest): Promise<ImageSource> {
    const known = await readKnownDirectories(this.#folder, manifest);
    const source = await ImageSource.open(manifest, this.#assets, {
      ...known,
      budgetBytes: limits.hostImagePackCacheBytes,
    });
    this.#keptRows.set(source, source.directories.rows().length);
    return source;
  }

  #provideOnce(name: string, provide: ImagePlacer): Promise<void> {
    const providing = this.#providing.get(name) ?? provide(name);
    this.#providing.set(name, providing);
    return providing.finally(() => this.#providing.delete(name));
  }

  async #readManifest(name: string): Promise<string> {
    if (!imageNamePattern.test(name)) throw unavailable(name, 'that is not the name of an image');
    try {
      return await readFile(join(this.#folder, `${name}.json`), 'utf8');
    } catch (cause) {
      const why = isDigest.test(name)
        ? 'one of the same version of coppice makes the same one, where it is given --image and its name'
        : 'a bridge makes one ready that is started with `--image` and its name';
      throw unavailable(name, why, cause);
    }
  }
}

function summarize(name: string, text: string): Omit<HostImage, 'isDefault'> | undefined {
  try {
    const architecture = imageArchitecture(parseImageManifest(text));
    return { name, digest: createHash('sha256').update(text).digest('hex'), architecture };
  } catch {
    return undefined;
  }
}

function unavailable(name: string, why: string, cause?: unknown): SandboxError {
  return new SandboxError(
    'asset-unavailable',
    `This host has no image ${JSON.stringify(name.slice(0, isDigest.test(name) ? 12 : 80))}: ${why}`,
    { details: { name }, cause },
  );
}
