import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { CacheFolder } from '../cache/cache-folder.ts';
import { digestBytes } from '../cache/digest.ts';
import type { Progress } from '../progress.ts';
import type { AptRoot } from './apt-root.ts';
import type { ArchivePackage } from './archive-package.ts';

export interface FetchOptions {
  readonly cache: CacheFolder;
  readonly progress: Progress;
  /** Opened only when something is not in the cache. */
  readonly apt: () => Promise<AptRoot>;
  readonly signal?: AbortSignal;
}

/** The packages of `packages` that are not in the cache. */
export async function missingPackages(
  packages: readonly ArchivePackage[],
  cache: CacheFolder,
): Promise<ArchivePackage[]> {
  const present = await Promise.all(packages.map((one) => cache.has(cacheName(one))));
  return packages.filter((_, index) => !present[index]);
}

/**
 * Brings every package into the cache, where it is named by its SHA-256.
 * @throws asset-unavailable when the archive gives something else or nothing
 */
export async function fetchPackages(
  packages: readonly ArchivePackage[],
  options: FetchOptions,
): Promise<void> {
  const { cache, progress, signal } = options;
  const missing = await missingPackages(packages, cache);
  if (missing.length === 0) return;
  const apt = await options.apt();
  const totalBytes = missing.reduce((sum, one) => sum + one.sizeBytes, 0);
  await progress.step(`Download ${missing.length} packages`, (report) =>
    cache.withTemporaryFolder(async (folder) => {
      await apt.run(
        [
          'apt-get',
          'download',
          '-qq',
          '-o',
          'APT::Status-Fd=3',
          ...missing.map((one) => `${one.name}=${one.version}`),
        ],
        {
          cwd: folder,
          onStatusLine: (line) => report.bytes(Math.round((percent(line) / 100) * totalBytes), totalBytes),
          signal,
        },
      );
      for (const file of await readdir(folder)) {
        const path = join(folder, file);
        await cache.adopt(`packages/${digestBytes(await readFile(path))}.deb`, path);
      }
      report.bytes(totalBytes, totalBytes);
    }),
  );
  const [absent] = await missingPackages(missing, cache);
  if (!absent) return;
  throw new SandboxError(
    'asset-unavailable',
    `Cannot fetch ${absent.name} ${absent.version}: what the archive sent does not have its SHA-256`,
    { details: { package: absent } },
  );
}

/** The bytes of a package that was fetched. @throws corrupt-object when the cached file was altered */
export async function readPackage(one: ArchivePackage, cache: CacheFolder): Promise<Uint8Array> {
  const path = cache.join(cacheName(one));
  const bytes = await readFile(path);
  if (digestBytes(bytes) === one.sha256) return bytes;
  throw new SandboxError(
    'corrupt-object',
    `${path} is damaged: its SHA-256 is not its name. Remove it and build again`,
    {
      details: { path },
    },
  );
}

function cacheName(one: ArchivePackage): string {
  return `packages/${one.sha256}.deb`;
}

/** apt's progress line is `dlstatus:<item>:<percent>:<text>`. */
function percent(line: string): number {
  return Math.min(100, Number(/^dlstatus:\d+:([\d.]+):/.exec(line)?.[1] ?? 0));
}
