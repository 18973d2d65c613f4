import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { digestParts } from '../../host/cache/digest.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import type { Progress } from '../../host/progress.ts';
import { runTool } from '../../host/run-tool.ts';
import type { Toolchain } from '../../host/toolchain/open-toolchain.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { encodeCpio } from './cpio.ts';
import { openMuslSysroot, sysrootSources } from './musl-sysroot.ts';

/** `-march=pentium4`: what v86 emulates. No PIE: one relocation less per symbol and nothing to hide. */
const flags = [
  '-std=gnu17',
  '-m32',
  '-march=pentium4',
  '-Os',
  '-static',
  '-no-pie',
  '-fno-pie',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-D_GNU_SOURCE',
  '-fno-stack-protector',
  '-fno-asynchronous-unwind-tables',
  '-s',
];

export interface InitOptions {
  /** The folder with init's C sources. */
  readonly sources: string;
  readonly cache: CacheFolder;
  readonly progress: Progress;
  readonly toolchain: Toolchain;
}

/** A digest of what init is made of, without the compiler: sources in `folder`, flags, libraries. */
export async function initSources(packages: readonly ArchivePackage[], folder: string): Promise<string> {
  const sources = await readSources(folder);
  return digestParts([sysrootSources(packages), ...flags, ...[...sources].flat()]);
}

/** Init, linked statically with musl for i386. Cached by its sources and the compiler. */
export async function buildInit(
  packages: readonly ArchivePackage[],
  options: InitOptions,
): Promise<Uint8Array> {
  const { cache, progress, toolchain } = options;
  const sources = await readSources(options.sources);
  const sysroot = await openMuslSysroot(packages, cache);
  const name = join('init', digestParts([toolchain.compiler, await initSources(packages, options.sources)]));
  if (!(await cache.has(name))) {
    await progress.step('Compile init', () =>
      cache.withTemporaryFolder(async (folder) => {
        const binary = join(folder, 'init');
        const { includes, libraries, gccLibraries } = sysroot;
        const argv = [
          'gcc',
          ...flags,
          '-nostdinc',
          '-isystem',
          join(gccLibraries, 'include'),
          ...includes.flatMap((path) => ['-isystem', path]),
          '-nostdlib',
          '-o',
          binary,
          join(libraries, 'crt1.o'),
          join(libraries, 'crti.o'),
          ...[...sources.keys()]
            .filter((file) => file.endsWith('.c'))
            .map((file) => join(options.sources, file)),
          `-L${libraries}`,
          `-L${gccLibraries}`,
          '-lc',
          '-lgcc',
          '-lgcc_eh',
          '-lc',
          join(libraries, 'crtn.o'),
        ];
        await runTool(argv, { env: toolchain.env });
        await cache.publishFile(name, await readFile(binary));
      }),
    );
  }
  return readFile(cache.join(name));
}

/** An initramfs (cpio) with init and /dev/console. */
export function packInitramfs(init: Uint8Array): Uint8Array {
  return encodeCpio([
    { path: 'dev', mode: 0o040755 },
    { path: 'dev/console', mode: 0o020600, device: { major: 5, minor: 1 } },
    { path: 'init', mode: 0o100755, bytes: init },
  ]);
}

/** C sources and headers by file name. */
async function readSources(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.[ch]$/.test(name)).sort();
  if (!names.some((name) => name.endsWith('.c'))) {
    throw new SandboxError('not-found', `There are no C sources in ${folder}`);
  }
  const sources = new Map<string, string>();
  for (const name of names) sources.set(name, await readFile(join(folder, name), 'utf8'));
  return sources;
}
