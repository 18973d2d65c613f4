import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { digestParts } from '../host/cache/digest.ts';
import { digestFolder } from '../host/cache/digest-folder.ts';
import { digestImports } from '../host/cache/digest-imports.ts';
import { inRepository } from '../host/repository.ts';

/** What the builder reads besides its modules: recipes, locks, the kernel's patches, and what runs in the guest. */
const folders = ['images', 'guest/init', 'guest/rootfs'];

/** In a package, whose modules are bundled: their digest as it was in the repository (`npm run pack`). */
const packagedDigest = inRepository('builder-digest');

/** Whether this program is a package's, without the sources of the builder. */
export function isBundled(): boolean {
  return existsSync(packagedDigest);
}

/**
 * A digest of everything in this repository that decides what the builder makes, found without loading it. The C
 * compiler of this machine and packages that have left the archive decide as well, and are not in it.
 */
export async function builderDigest(): Promise<string> {
  if (isBundled()) return readFile(packagedDigest, 'utf8');
  const isData = (name: string) => !/\.(ts|md)$/.test(name);
  return digestParts([
    await digestImports(['images/build-image.ts'], { root: inRepository() }),
    // The version of v86 among others.
    await readFile(inRepository('package-lock.json')),
    ...(await Promise.all(folders.map((folder) => digestFolder(inRepository(folder), isData)))),
  ]);
}
