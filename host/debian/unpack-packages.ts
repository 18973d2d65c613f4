import { chmod, link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { CacheFolder } from '../cache/cache-folder.ts';
import type { StepReport } from '../progress.ts';
import type { ArchivePackage } from './archive-package.ts';
import { readPackage } from './fetch-packages.ts';
import { type DebEntry, readDeb } from './read-deb.ts';

export interface UnpackOptions {
  readonly cache: CacheFolder;
  readonly report?: StepReport;
  /** Which paths of a package to unpack; all, unless given. */
  readonly keeps?: (path: string) => boolean;
}

/**
 * Unpacks fetched packages into a folder of the host, for programs of the host: files belong to
 * whoever runs this, nothing is set-uid, and links that are absolute lead to the same place below
 * the folder.
 */
export async function unpackPackages(
  packages: readonly ArchivePackage[],
  folder: string,
  options: UnpackOptions,
): Promise<void> {
  const { cache, report, keeps = () => true } = options;
  const totalBytes = packages.reduce((sum, one) => sum + one.sizeBytes, 0);
  let doneBytes = 0;
  for (const one of packages) {
    const { entries } = await readDeb(await readPackage(one, cache));
    for (const entry of entries) if (keeps(entry.path)) await place(entry, folder);
    doneBytes += one.sizeBytes;
    report?.bytes(doneBytes, totalBytes);
  }
}

async function place(entry: DebEntry, folder: string): Promise<void> {
  const path = join(folder, entry.path);
  if (entry.type === 'directory') {
    await mkdir(path, { recursive: true });
    return;
  }
  await mkdir(dirname(path), { recursive: true });
  if (entry.type === 'symlink') await symlink(below(entry), path);
  else if (entry.type === 'hardlink') await link(join(folder, entry.target), path);
  else {
    await writeFile(path, entry.bytes);
    await chmod(path, (entry.mode & 0o777) | 0o200);
  }
}

function below({ path, target }: DebEntry): string {
  return target.startsWith('/') ? relative(dirname(path), target) : target;
}
