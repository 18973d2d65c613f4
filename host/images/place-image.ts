import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assetFileName, type ImageManifest, parseImageManifest } from '../../protocol/image-manifest.ts';
import type { BuiltImage } from './built-image.ts';
import { knownDirectoriesFile } from './known-directories.ts';
import { manifestAssets } from './manifest-assets.ts';

/** An image as a folder has it. */
export interface PlacedImage extends Pick<BuiltImage, 'manifest' | 'text'> {
  /** It was placed as one that may be dropped when no sandbox has it. */
  readonly isDroppable: boolean;
}

/**
 * Links an image's assets, and its manifest under its name, its digest, and as the default. `isDroppable` marks it as one that may be
 * dropped when no sandbox has it, unlike those that an operator places.
 */
export async function placeImage(
  { manifest, text, folder }: BuiltImage,
  {
    to,
    isDefault,
    isDroppable = false,
  }: { readonly to: string; readonly isDefault: boolean; readonly isDroppable?: boolean },
): Promise<void> {
  await mkdir(to, { recursive: true });
  if (isDroppable) await placeText(droppableMark(to, digestOf(text)), '');
  for (const asset of manifestAssets(manifest)) {
    const file = assetFileName(asset);
    await placeFile(join(folder, file), join(to, file));
  }
  for (const file of [manifest.name, digestOf(text), ...(isDefault ? ['default'] : [])])
    await placeText(join(to, `${file}.json`), text);
}

/** Whether an image was placed in a folder, under whatever name. */
export async function hasImage({ text }: BuiltImage, folder: string): Promise<boolean> {
  return (await readFile(manifestPath(folder, digestOf(text))).catch(() => undefined)) !== undefined;
}

/** Removes an image that no sandbox has, with the assets that no other image of the folder has. */
export async function dropImage(
  { manifest, text }: Pick<BuiltImage, 'manifest' | 'text'>,
  folder: string,
): Promise<void> {
  await rm(manifestPath(folder, digestOf(text)), { force: true });
  await rm(droppableMark(folder, digestOf(text)), { force: true });
  const kept = new Set<string>();
  const unread: string[] = [];
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.json'))) {
    const path = join(folder, name);
    const other = await readFile(path, 'utf8');
    if (other === text) {
      await rm(path);
      continue;
    }
    const parsed = tryParse(other);
    if (parsed) for (const asset of manifestAssets(parsed)) kept.add(asset.digest);
    else unread.push(other);
  }
  // One of a newer version has the assets whose digests it names.
  const isKept = (digest: string) => kept.has(digest) || unread.some((other) => other.includes(digest));
  const own = manifestAssets(manifest).filter(({ digest }) => !isKept(digest));
  for (const asset of own) await rm(join(folder, assetFileName(asset)), { force: true });
  if (!isKept(manifest.metadata.digest))
    await rm(join(folder, knownDirectoriesFile(manifest)), { force: true });
}

/** The images of a folder by their digests, once each. What cannot be read, as by a newer version, is left out. */
export async function placedImages(folder: string): Promise<ReadonlyMap<string, PlacedImage>> {
  const images = new Map<string, PlacedImage>();
  const files = new Set(await readdir(folder).catch(() => []));
  for (const file of files) {
    const [, digest] = /^([0-9a-f]{64})\.json$/.exec(file) ?? [];
    if (digest === undefined) continue;
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    const manifest = digestOf(text) === digest ? tryParse(text) : undefined;
    const isDroppable = files.has(basename(droppableMark(folder, digest)));
    if (manifest) images.set(digest, { manifest, text, isDroppable });
  }
  return images;
}

function tryParse(text: string): ImageManifest | undefined {
  try {
    return parseImageManifest(text);
  } catch {
    return undefined;
  }
}

/** An empty file beside the manifest. */
function droppableMark(folder: string, digest: string): string {
  return join(folder, `${digest}.droppable`);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function manifestPath(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}

/** What is there already needs no room on a disk that may be full, and is never half of it. */
async function placeText(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  const placing = `${path}.placing`;
  await writeFile(placing, text);
  await rename(placing, path);
}

/** A hard link where the file system allows one; a copy elsewhere. What is there has the same digest. */
async function placeFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') await copyFile(from, to);
  });
}
