import { chmod, readdir, readFile } from 'node:fs/promises';
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
  /** One that was opened for several programs; by default one is opened. */
  readonly toolchain?: Toolchain | undefined;
}

/** A program of `guest`. */
export interface HostProgram {
  readonly name: string;
  /** Folders of guest with its sources, and paths there of what is not part of it. */
  readonly folders: readonly string[];
  readonly leftOut?: readonly string[];
}

/**
 * A static binary for this host, in the cache under the digest of what it is made of. Resolves to its path.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export async function buildHostProgram(program: HostProgram, options: BuildOptions): Promise<string> {
  const { cache, progress } = options;
  const { toolchain = await openToolchain({ cache, progress }) } = options;
  const sources = await readSources(program);
  const texts = [...sources].flat();
  const digest = digestParts([toolchain.compiler, process.arch, ...flags, ...texts]);
  const name = join(`${program.name}s`, digest);
  if (await cache.has(name)) return cache.join(name);
  await progress.step(`Compile the ${program.name}`, () =>
    cache.withTemporaryFolder(async (folder) => {
      const binary = join(folder, program.name);
      const files = [...sources.keys()].filter((path) => path.endsWith('.c'));
      const argv = ['gcc', ...flags, '-o', binary, ...files.map((path) => inRepository('guest', path))];
      await runTool(argv, { env: toolchain.env });
      // A jail's uid 0 executes the launcher through a descriptor, and is nobody here.
      await chmod(binary, 0o755);
      await cache.adopt(name, binary);
    }),
  );
  return cache.join(name);
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
