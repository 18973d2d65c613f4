import { readdir } from 'node:fs/promises';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { servedFolder } from '../../host/images/built-image.ts';

/** The profiles that are built, sorted. */
export async function listBuilt(cache: CacheFolder): Promise<string[]> {
  const files = await readdir(cache.join(servedFolder)).catch(() => []);
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}
