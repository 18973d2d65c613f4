import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { digestBytes } from '../../host/cache/digest.ts';
import { assetPath } from '../../host/images/built-image.ts';
import type { ImageAsset } from '../../protocol/image-manifest.ts';

/** How hard assets are compressed: for visitors, who download them, or for hosts, which read them from disk. */
export const compressionLevels = { visitor: 6, host: 1 } as const;

/** Stores content as an asset, compressed, unless it is there already. */
export async function writeAsset(
  content: Uint8Array,
  { cache, level }: { cache: CacheFolder; level: number },
): Promise<ImageAsset> {
  const digest = digestBytes(content);
  const name = assetPath({ digest });
  if (!(await cache.has(name))) await cache.publishFile(name, await promisify(gzip)(content, { level }));
  const { size: storedBytes } = await stat(cache.join(name));
  return { digest, sizeBytes: content.length, storedBytes };
}
