import { access, chmod, constants, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { digestParts } from '../../host/cache/digest.ts';
import { findCompiled, keepCompiled, verifyCompiled } from '../../host/compiled/compiled-programs.ts';
import type { Progress } from '../../host/progress.ts';
import { inRepository } from '../../host/repository.ts';
import { runTool } from '../../host/run-tool.ts';
import { openToolchain, type Toolchain } from '../../host/toolchain/open-toolchain.ts';

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

/** A program of `guest`: folders there with its sources, and what of them is not part of it. */
interface HostProgram {
  readonly folders: readonly string[];
  readonly leftOut?: readonly string[];
}

export type HostProgramName = 'launcher' | 'scanner' | 'spawner' | 'unpacker' | 'watcher' | 'coppice-init';

/** The C programs of a host. */
export const hostPrograms: Readonly<Record<HostProgramName, HostProgram>> = {
  /** Starts jails: the whole of init but its `main`, and guest/launch. */
  launcher: { folders: ['init', 'launch'], leftOut: [join('init', 'main.c')] },
  /** Finds and reads what changed in a root. */
  scanner: { folders: ['scan'] },
  /** Starts the other programs for a process of Node. */
  spawner: { folders: ['spawn'] },
  /** Makes the files of a tree in a folder. */
  unpacker: { folders: ['unpack'] },
  /** Tells when something changes in a root. */
  watcher: { folders: ['watch'] },
  /** The entrypoint of an ordinary container. */
  'coppice-init': { folders: ['init', 'entry'], leftOut: [join('init', 'main.c')] },
};

/** Where a package that was made for several machines has programs for this one. */
function packagedProgram(name: string): string {
  return inRepository('programs', `${process.platform}-${process.arch}`, name);
}

/**
 * A static binary for this host: the package's, the one that comes compiled with the sources, or one in the cache under the
 * digest of its sources, whichever compiler made it. Resolves to its path.
 * @throws unsupported when it is to be compiled and there is no C compiler and none can be fetched
 */
export async function buildHostProgram(name: HostProgramName, options: BuildOptions): Promise<string> {
  const { cache, progress } = options;
  const packaged = packagedProgram(name);
  if (await canExecute(packaged)) return packaged;
  const { files, madeOf } = await readSources(name);
  const compiled = await findCompiled(compiledName(name), madeOf);
  if (compiled !== undefined && (await canExecute(compiled))) return compiled;
  const cached = join(`${name}s`, madeOf);
  if (await cache.has(cached)) return cache.join(cached);
  const { toolchain = () => openToolchain({ cache, progress }) } = options;
  const { env } = await toolchain();
  await progress.step(`Compile the ${name}`, () =>
    cache.withTemporaryFolder(async (folder) => {
      const binary = join(folder, name);
      await compile(files, { binary, env });
      await cache.adopt(cached, binary);
    }),
  );
  return cache.join(cached);
}

/**
 * Compiles a program anew, and keeps it with the sources, or holds what is kept to it.
 * @throws conflict, unsupported as `verifyCompiled`
 */
export async function compileHostProgram(
  name: HostProgramName,
  { verifies, cache, toolchain }: { verifies: boolean; cache: CacheFolder; toolchain: Toolchain },
): Promise<void> {
  const { files, madeOf } = await readSources(name);
  const { compiler, env } = toolchain;
  await cache.withTemporaryFolder(async (folder) => {
    const binary = join(folder, name);
    await compile(files, { binary, env });
    const put = verifies ? verifyCompiled : keepCompiled;
    await put(compiledName(name), await readFile(binary), { madeOf, compiler });
  });
}

/** In `guest/compiled`. */
function compiledName(name: HostProgramName): string {
  return `${process.platform}-${process.arch}/${name}`;
}

async function compile(
  files: readonly string[],
  { binary, env }: { readonly binary: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const sources = files.filter((path) => path.endsWith('.c'));
  // From the folder of the sources: their paths are in the program.
  await runTool(['gcc', ...flags, '-o', binary, ...sources], { env, cwd: inRepository('guest') });
  // A jail's uid 0 executes the launcher through a descriptor, and is nobody here.
  await chmod(binary, 0o755);
}

async function canExecute(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** C sources and headers by their path in guest, and the digest of what the program is made of. */
async function readSources(
  program: HostProgramName,
): Promise<{ readonly files: readonly string[]; readonly madeOf: string }> {
  const { folders, leftOut = [] } = hostPrograms[program];
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const file of (await readdir(inRepository('guest', folder))).sort()) {
      const path = join(folder, file);
      if (!/\.[ch]$/.test(file) || leftOut.includes(path)) continue;
      sources.set(path, await readFile(inRepository('guest', path), 'utf8'));
    }
  }
  const madeOf = digestParts([process.arch, ...flags, ...[...sources].flat()]);
  return { files: [...sources.keys()], madeOf };
}
