import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withCacheLock } from '../cache/cache-lock.ts';
import { digestParts } from '../cache/digest.ts';
import { fetchHostPackages, type HostPackagesOptions, hostArchitecture } from '../debian/host-packages.ts';
import { layOutToolchain } from './lay-out-toolchain.ts';

/** The packages that bring what `probeToolchain` asks for, without what they depend on. */
export const toolchainPackages: readonly string[] = [
  'bc',
  'bison',
  'flex',
  'gcc',
  'libc6-dev',
  'lz4',
  'make',
  'patch',
  'tar',
  'xz-utils',
];

/** To be raised when the same packages are laid out in another way. */
const layout = '1';

export interface PrivateToolchainOptions extends HostPackagesOptions {
  /** Told before it is fetched; not where the cache has it. */
  readonly onFetch?: () => void;
}

/** The name in the cache of Debian's C toolchain for this host. @throws unsupported where there is no dpkg */
export async function privateToolchainName(): Promise<string> {
  const parts = [layout, await hostArchitecture(), await hostRelease(), ...toolchainPackages];
  return join('toolchains', digestParts(parts));
}

/**
 * Debian's C toolchain for this host, fetched and unpacked into the cache; nothing is installed.
 * What is in the cache serves for as long as the host's release does, also offline.
 * @returns its name in the cache
 */
export async function openPrivateToolchain(options: PrivateToolchainOptions): Promise<string> {
  const { cache, progress } = options;
  const name = await privateToolchainName();
  await withCacheLock(
    cache.join('toolchains', 'fetch.lock'),
    async () => {
      if (!(await cache.has(name))) await make(name, options);
    },
    { ...options, onWait: (holder) => progress.note(`  waits for ${holder} to fetch a C toolchain`) },
  );
  return name;
}

async function make(name: string, options: PrivateToolchainOptions): Promise<void> {
  const { cache, progress, onFetch } = options;
  onFetch?.();
  const packages = await fetchHostPackages(toolchainPackages, options);
  await progress.step('Unpack a C toolchain', (report) =>
    cache.publishFolder(name, (folder) => layOutToolchain(packages, folder, { cache, report })),
  );
}

/** The name of the host's release: programs of one release need not run on another. */
async function hostRelease(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^VERSION_CODENAME=(.*)$/m.exec(text)?.[1] ?? '';
}
