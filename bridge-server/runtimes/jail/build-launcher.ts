import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../../images/archive/run-tool.ts';
import type { CacheFolder } from '../../../images/cache/cache-folder.ts';
import { digestParts } from '../../../images/cache/digest.ts';
import type { Progress } from '../../../images/progress.ts';
import { inRepository } from '../../../images/repository.ts';
import { openToolchain } from '../../../images/toolchain/open-toolchain.ts';

const flags = [
  ...['-std=gnu17', '-Os', '-static', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-s'],
  ...['-fstack-protector-strong', '-D_FORTIFY_SOURCE=2', '-ffunction-sections', '-Wl,--gc-sections'],
];

/** The whole of init but its `main`, and the launcher's. */
const folders = ['init', 'launch'];
const leftOut = join('init', 'main.c');

/**
 * The launcher: one static binary for this host, from guest/init and guest/launch, in the cache under
 * the digest of what it is made of. Resolves to its path.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export async function buildLauncher(options: {
  readonly cache: CacheFolder;
  readonly progress: Progress;
}): Promise<string> {
  const { cache, progress } = options;
  const toolchain = await openToolchain({ cache, progress });
  const sources = await readSources();
  const texts = [...sources].flat();
  const name = join('launchers', digestParts([toolchain.compiler, process.arch, ...flags, ...texts]));
  if (await cache.has(name)) return cache.join(name);
  await progress.step('Compile the launcher', () =>
    cache.withTemporaryFolder(async (folder) => {
      const binary = join(folder, 'launcher');
      const files = [...sources.keys()].filter((path) => path.endsWith('.c'));
      const argv = ['gcc', ...flags, '-o', binary, ...files.map((path) => inRepository('guest', path))];
      await runTool(argv, { env: toolchain.env });
      // A jail's uid 0 executes it through a descriptor, and is nobody here.
      await chmod(binary, 0o755);
      await cache.adopt(name, binary);
    }),
  );
  return cache.join(name);
}

/** C sources and headers by their path in guest. */
async function readSources(): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const file of (await readdir(inRepository('guest', folder))).sort()) {
      const path = join(folder, file);
      if (!/\.[ch]$/.test(file) || path === leftOut) continue;
      sources.set(path, await readFile(inRepository('guest', path), 'utf8'));
    }
  }
  return sources;
}
