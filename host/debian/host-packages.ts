import type { CacheFolder } from '../cache/cache-folder.ts';
import type { Progress } from '../progress.ts';
import { runTool } from '../run-tool.ts';
import { AptRoot } from './apt-root.ts';
import type { ArchivePackage } from './archive-package.ts';
import { fetchPackages } from './fetch-packages.ts';
import { resolveClosure } from './query-archive.ts';

export interface HostPackagesOptions {
  readonly cache: CacheFolder;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/** Debian's name of the architecture that this host's programs are for. @throws unsupported where there is no dpkg */
export async function hostArchitecture(): Promise<string> {
  return (await runTool(['dpkg', '--print-architecture'])).trim();
}

/**
 * Brings `names`, and what they depend on, for this host's own architecture into the cache. Nothing is
 * installed.
 * @throws asset-unavailable and others, when the archive does not have them or is not reached
 */
export async function fetchHostPackages(
  names: readonly string[],
  options: HostPackagesOptions,
): Promise<ArchivePackage[]> {
  const apt = await AptRoot.open(options.cache, { ...options, architecture: await hostArchitecture() });
  await apt.update(options.signal ? { signal: options.signal } : {});
  const packages = await resolveClosure(apt, names);
  await fetchPackages(packages, { ...options, apt: async () => apt });
  return packages;
}
