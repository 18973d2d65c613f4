import { access, chmod, constants, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheFolder } from '../host/cache/cache-folder.ts';
import { digestParts } from '../host/cache/digest.ts';
import type { Progress } from '../host/progress.ts';
import { inRepository } from '../host/repository.ts';
import { runTool } from '../host/run-tool.ts';
import { openToolchain, type Toolchain } from '../host/toolchain/open-toolchain.ts';

const flags = [
  ...['-std=gnu17', '-Os', '-static', '-pthread', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-s'],
  ...['-fstack-protector-strong', '-D_FORTIFY_SOURCE=2', '-ffunction-sections', '-Wl,--gc-sections'],
];

export interface BuildOptions {
  readonly cache: CacheFolder;
  readonly progress: Progress;
  /** Asked for a compiler where a program is not made yet: to find one that works takes longer than all the rest. */
  readonly toolchain?: (() => Promise<Toolchain>) | undefined;
}

/** A program of `guest`. */
export interface HostProgram {
  readonly name: string;
  /** Folders of guest with its sources, and paths there of what is not part of it. */
  readonly folders: readonly string[];
  readonly leftOut?: readonly string[];
}

/** Where a package that was made for several machines has programs for this one. */
function packagedProgram(name: string): string {
  return inRepository('programs', `${process.platform}-${process.arch}`, name);
}

/**
 * A static binary for this host: the package's, or one in the cache under the digest of its sources, whichever compiler
 * made it. Resolves to its path.
 * @throws unsupported when it is to be compiled and there is no C compiler and none can be fetched
 */
export async function buildHostProgram(program: HostProgram, options: BuildOptions): Promise<string> {
  const { cache, progress } = options;
  const packaged = packagedProgram(program.name);
  if (await canExecute(packaged)) return packaged;
  const sources = await readSources(program);
  const name = join(`${program.name}s`, digestParts([process.arch, ...flags, ...[...sources].flat()]));
  if (await cache.has(name)) return cache.join(name);
  const { toolchain = () => openToolchain({ cache, progress }) } = options;
  const { env } = await toolchain();
  await progress.step(`Compile the ${program.name}`, () =>
    cache.withTemporaryFolder(async (folder) => {
      const binary = join(folder, program.name);
      const files = [...sources.keys()].filter((path) => path.endsWith('.c'));
      const argv = ['gcc', ...flags, '-o', binary, ...files.map((path) => inRepository('guest', path))];
      await runTool(argv, { env });
      // A jail's uid 0 executes the launcher through a descriptor, and is nobody here.
      await chmod(binary, 0o755);
      await cache.adopt(name, binary);
    }),
  );
  return cache.join(name);
}

async function canExecute(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** C sources and headers by their path in guest. */
async function readSources({ folders, leftOut = [] }: HostProgram): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const file of (await readdir(inRepository('guest', folder))).sort()) {
      const path = join(folder, file);
      if (!/\.[ch]$/.test(file) || leftOut.includes(path)) continue;
      sources.set(path, await readFile(inRepository('guest', path), 'utf8'));
    }
  }
  return sources;
}
