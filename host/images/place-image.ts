import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assetFileName } from '../../protocol/image-manifest.ts';
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
  const digest = createHash('sha256').update(text).digest('hex');
  for (const file of [manifest.name, digest, ...(isDefault ? ['default'] : [])])
    await placeText(join(to, `${file}.json`), text);
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
