import type { TarEntry } from 'modern-tar';
import type { CacheFolder } from '../cache/cache-folder.ts';
import { digestBytes } from '../cache/digest.ts';
import type { ArchivePackage } from '../debian/archive-package.ts';
import { makeDeb } from './make-deb.ts';

/** Puts a package with these files into a cache, as if it had been fetched, for tests. */
export async function cachePackage(
  cache: CacheFolder,
  name: string,
  entries: TarEntry[],
): Promise<ArchivePackage> {
  const bytes = await makeDeb(entries);
  const sha256 = digestBytes(bytes);
  await cache.publishFile(`packages/${sha256}.deb`, bytes);
  return { name, version: '1', architecture: 'amd64', sha256, sizeBytes: bytes.length };
}
