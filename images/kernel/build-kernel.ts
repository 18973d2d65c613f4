import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { withCacheLock } from '../../host/cache/cache-lock.ts';
import { digestParts } from '../../host/cache/digest.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { readPackage } from '../../host/debian/fetch-packages.ts';
import { readDeb } from '../../host/debian/read-deb.ts';
import type { Progress, StepReport } from '../../host/progress.ts';
import { inRepository } from '../../host/repository.ts';
import { runTool } from '../../host/run-tool.ts';
import type { Toolchain } from '../../host/toolchain/open-toolchain.ts';
import { machinePackage } from '../machine-packages.ts';

/** Source that this configuration never compiles; leaving it packed saves most of the time on the disk. */
const leftPacked = [
  '*/Documentation/*/*',
  '*/arch/[!x]*/*.[chS]',
  '*/arch/[!x]*/*.dts*',
  '*/drivers/gpu/*.[ch]',
  '*/drivers/media/*.[ch]',
  '*/drivers/net/ethernet/*.[ch]',
  '*/drivers/net/wireless/*.[ch]',
  '*/drivers/staging/*.[ch]',
  '*/sound/*.[ch]',
  '*/tools/perf/*',
  '*/tools/testing/*',
];

const fragmentPath = inRepository('images', 'kernel', 'fragment.config');
const patchesPath = inRepository('images', 'kernel', 'patches');

/** Fixed, so that the same source and compiler give the same bytes (Documentation/kbuild/reproducible-builds.rst). */
const reproducible = {
  KBUILD_BUILD_TIMESTAMP: '1970-01-01',
  KBUILD_BUILD_USER: 'coppice',
  KBUILD_BUILD_HOST: 'coppice',
  KBUILD_BUILD_VERSION: '1',
};

export interface KernelOptions {
  readonly cache: CacheFolder;
  readonly progress: Progress;
  readonly toolchain: Toolchain;
  readonly signal?: AbortSignal;
  /** Builds it even where the cache has it. */
  readonly anew?: boolean;
}

export interface Kernel {
  /** For i386, as a boot loader takes it. */
  readonly image: Uint8Array;
  /** All options that it was built with: text. */
  readonly config: Uint8Array;
}

/** A digest of what the kernel is made of, without the compiler: source, fragment, patches. */
export async function kernelSources(packages: readonly ArchivePackage[]): Promise<string> {
  const { sha256 } = machinePackage(packages, 'linux-source-6.1');
  const patches = await readPatches();
  return digestParts([sha256, await readFile(fragmentPath), ...patches.values()]);
}

/**
 * The guest's kernel: Debian's source, tinyconfig and our fragment. Cached by its sources and the compiler. Takes some
 * minutes when it is not there.
 */
export async function buildKernel(
  packages: readonly ArchivePackage[],
  options: KernelOptions,
): Promise<Kernel> {
  const { cache, progress, toolchain, anew = false } = options;
  const source = machinePackage(packages, 'linux-source-6.1');
  const patches = await readPatches();
  const name = join('kernels', digestParts([await kernelSources(packages), toolchain.compiler]));
  await withCacheLock(
    cache.join('kernels', 'build.lock'),
    async () => {
      if (await cache.has(name)) {
        if (!anew) return;
        await cache.drop(name);
      }
      const label = `Build the kernel (Linux ${source.version})`;
      await progress.step(label, (report) => build(name, { ...options, source, patches, report }));
    },
    { onWait: (holder) => progress.note(`  waits for ${holder} to build the kernel`) },
  );
  return {
    image: await readFile(cache.join(name, 'bzImage')),
    config: await readFile(cache.join(name, 'config')),
  };
}

interface BuildOptions extends KernelOptions {
  readonly source: ArchivePackage;
  readonly patches: ReadonlyMap<string, Uint8Array>;
  readonly report: StepReport;
}

async function build(name: string, options: BuildOptions): Promise<void> {
  const { cache, report, toolchain } = options;
  await cache.withTemporaryFolder(async (folder) => {
    report.detail('unpack');
    await unpackSource(folder, options);
    const run = { cwd: folder, env: { ...toolchain.env, ...reproducible }, signal: options.signal };
    for (const [file, patch] of options.patches) {
      await writeFile(join(folder, file), patch);
      await runTool(['patch', '-p1', '--fuzz=0', '-i', file], run);
    }
    report.detail('configure');
    await runTool(['make', 'ARCH=i386', 'tinyconfig'], run);
    await runTool(['scripts/kconfig/merge_config.sh', '-m', '.config', fragmentPath], run);
    await runTool(['make', 'ARCH=i386', 'olddefconfig'], run);
    let files = 0;
    await runTool(['make', 'ARCH=i386', `-j${availableParallelism()}`, 'bzImage'], {
      ...run,
      onOutputLine: (line) => report.detail(`${++files} ${line.trim()}`),
    });
    await cache.publishFolder(name, async (target) => {
      await copyFile(join(folder, 'arch/x86/boot/bzImage'), join(target, 'bzImage'));
      await copyFile(join(folder, '.config'), join(target, 'config'));
    });
  });
}

/** The package holds one tar, 1.3 GB when unpacked. */
async function unpackSource(folder: string, { source, cache, toolchain }: BuildOptions): Promise<void> {
  const { entries } = await readDeb(await readPackage(source, cache));
  const tar = entries.find(({ path }) => path.endsWith('/linux-source-6.1.tar.xz'));
  if (!tar) throw new RangeError(`The package ${source.name} has no linux-source-6.1.tar.xz`);
  const path = join(folder, 'source.tar.xz');
  await writeFile(path, tar.bytes);
  const excludes = leftPacked.map((glob) => `--exclude=${glob}`);
  const target = ['-C', folder, '--strip-components=1', '--no-same-owner'];
  await runTool(['tar', '-xJf', path, ...target, ...excludes], { env: toolchain.env });
}

/** Our patches by file name, in the order in which they apply. */
async function readPatches(): Promise<Map<string, Uint8Array>> {
  const names = (await readdir(patchesPath).catch(() => [])).filter((name) => name.endsWith('.patch')).sort();
  const patches = new Map<string, Uint8Array>();
  for (const name of names) patches.set(name, await readFile(join(patchesPath, name)));
  return patches;
}
