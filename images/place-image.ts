import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assetFileName } from '../protocol/image-manifest.ts';
import type { BuiltImage } from './output/build-image.ts';
import { manifestAssets } from './output/manifest-assets.ts';

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
    await writeFile(join(to, `${file}.json`), text);
}

/** A hard link where the file system allows one; a copy elsewhere. What is there has the same digest. */
async function placeFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') await copyFile(from, to);
  });
}
