import { join } from 'node:path';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { digestParts } from '../../host/cache/digest.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { unpackPackages } from '../../host/debian/unpack-packages.ts';
import { builtFrom, machinePackage } from '../machine-packages.ts';

/** A digest of what the sysroot has. */
export function sysrootSources(packages: readonly ArchivePackage[]): string {
  return digestParts(builtFrom.init.map((name) => machinePackage(packages, name).sha256));
}

/** Where headers and libraries to build for i386 lie. */
export interface MuslSysroot {
  readonly includes: readonly string[];
  readonly libraries: string;
  readonly gccLibraries: string;
}

/**
 * musl, the kernel's headers and gcc's run-time library for i386, unpacked into the cache: the
 * host needs neither a 32-bit C library nor any of its headers.
 */
export async function openMuslSysroot(
  packages: readonly ArchivePackage[],
  cache: CacheFolder,
): Promise<MuslSysroot> {
  const chosen = builtFrom.init.map((name) => machinePackage(packages, name));
  const name = join('sysroots', sysrootSources(packages));
  if (!(await cache.has(name))) {
    await cache.publishFolder(name, (folder) => unpackPackages(chosen, folder, { cache }));
  }
  const path = cache.join(name);
  return {
    includes: [
      join(path, 'usr/include/i386-linux-musl'),
      join(path, 'usr/include/i386-linux-gnu'),
      join(path, 'usr/include'),
    ],
    libraries: join(path, 'usr/lib/i386-linux-musl'),
    gccLibraries: join(path, 'usr/lib/gcc/i686-linux-gnu/12'),
  };
}
