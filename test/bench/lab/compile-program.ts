import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheFolder } from '../../../host/cache/cache-folder.ts';
import { digestParts } from '../../../host/cache/digest.ts';
import type { Progress } from '../../../host/progress.ts';
import { runTool } from '../../../host/run-tool.ts';
import { openToolchain } from '../../../host/toolchain/open-toolchain.ts';

const folder = join(import.meta.dirname, '../programs');
const flags = ['-std=gnu17', '-O2', '-static', '-Wall', '-Wextra', '-Werror', '-s'];

export type ProgramName = 'spawn' | 'ticks' | 'pages';

/** Compiles test/bench/programs/`name`.c, once. Resolves to the program's path. @throws unsupported without a compiler */
export async function compileProgram(
  name: ProgramName,
  options: { readonly cache: CacheFolder; readonly progress: Progress },
): Promise<string> {
  const { cache } = options;
  const toolchain = await openToolchain(options);
  const source = join(folder, `${name}.c`);
  const text = await readFile(source, 'utf8');
  const key = join('bench', digestParts([toolchain.compiler, process.arch, ...flags, text]));
  if (await cache.has(key)) return cache.join(key);
  await cache.withTemporaryFolder(async (temporary) => {
    const program = join(temporary, name);
    await runTool(['gcc', ...flags, '-o', program, source], { env: toolchain.env });
    await cache.adopt(key, program);
  });
  return cache.join(key);
}
