import type { AptRoot } from '../../host/debian/apt-root.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { type FetchOptions, fetchPackages, missingPackages } from '../../host/debian/fetch-packages.ts';
import { findVersions } from '../../host/debian/query-archive.ts';
import type { LockFile } from './lock-file.ts';

/** The packages to build from, and how they differ from what the lock names. */
export interface SettledPackages {
  readonly packages: readonly ArchivePackage[];
  /** `name locked-version → version`, one for each package that is not as locked. */
  readonly offLock: readonly string[];
}

/** What the same request resolves to in the archive of today. */
export type Resolve = (apt: AptRoot) => Promise<ArchivePackage[]>;

/**
 * Fetches exactly what the lock names. Where a pinned version has left the archive and is not in
 * the cache, `resolve` names its successor, together with what that newly depends on.
 * @throws asset-unavailable when the archive cannot be reached and the cache does not have it all
 */
export async function settleLock(
  lock: LockFile,
  resolve: Resolve,
  options: FetchOptions,
): Promise<SettledPackages> {
  const gone = await findGone(lock, options);
  if (gone.length === 0) {
    await fetchPackages(lock.packages, options);
    return { packages: lock.packages, offLock: [] };
  }
  const successors = new Map((await resolve(await options.apt())).map((one) => [one.name, one]));
  const goneNames = new Set(gone.map(({ name }) => name));
  const kept = lock.packages.filter(({ name }) => !goneNames.has(name));
  const known = new Set(lock.packages.map(({ name }) => name));
  const added = [...successors.values()].filter(({ name }) => goneNames.has(name) || !known.has(name));
  const packages = [...kept, ...added].sort((a, b) => (a.name < b.name ? -1 : 1));
  await fetchPackages(packages, options);
  const dropped = gone.filter(({ name }) => !successors.has(name));
  return {
    packages,
    offLock: [
      ...added.map(({ name, version }) => `${name} ${versionIn(lock, name)} → ${version}`),
      ...dropped.map(({ name, version }) => `${name} ${version} → none`),
    ],
  };
}

/** Packages that are neither in the cache nor, with the same SHA-256, in the archive. */
async function findGone(lock: LockFile, options: FetchOptions): Promise<ArchivePackage[]> {
  const missing = await missingPackages(lock.packages, options.cache);
  if (missing.length === 0) return [];
  const apt = await options.apt();
  const lookUp = async (wanted: readonly ArchivePackage[]) => {
    const offered = await findVersions(
      apt,
      wanted.map(({ name }) => name),
    );
    const digests = new Set(offered.map(({ sha256 }) => sha256));
    return wanted.filter(({ sha256 }) => !digests.has(sha256));
  };
  const gone = await lookUp(missing);
  if (gone.length === 0) return [];
  await apt.update({ force: true });
  return lookUp(gone);
}

function versionIn(lock: LockFile, name: string): string {
  return lock.packages.find((one) => one.name === name)?.version ?? 'none';
}
