import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assetFileName, parseImageManifest } from '../../protocol/image-manifest.ts';
import type { BuiltImage } from './built-image.ts';
import { manifestAssets } from './manifest-assets.ts';

/** Links an image's assets, and its manifest under its name, its digest, and as the default. */
export async function placeImage(
  { manifest, text, folder }: BuiltImage,
  { to, isDefault }: { to: string; isDefault: boolean },
): Promise<void> {
  await mkdir(to, { recursive: true });
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
export async function dropImage({ manifest, text }: BuiltImage, folder: string): Promise<void> {
  await rm(manifestPath(folder, digestOf(text)), { force: true });
  const kept = new Set<string>();
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.json'))) {
    const path = join(folder, name);
    const other = await readFile(path, 'utf8');
    if (other === text) await rm(path);
    else for (const asset of manifestAssets(parseImageManifest(other))) kept.add(asset.digest);
  }
  const own = manifestAssets(manifest).filter(({ digest }) => !kept.has(digest));
  for (const asset of own) await rm(join(folder, assetFileName(asset)), { force: true });
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
