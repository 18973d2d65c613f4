import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';
import type { ModuleMarks } from '../runtimes/v86/live/page-states.ts';
import { watchWrites } from '../runtimes/v86/live/watch-writes.ts';
import { memoryRuntime } from '../runtimes/v86/memory-image/runtime.ts';
import { compileKernels } from './compile-kernels.ts';

const source = createRequire(import.meta.url).resolve('v86/build/v86.wasm');
/** What imports these files gets what is made here: they say what that exports. */
const stubs = {
  watched: '/web/worker/machine/watched-v86.ts',
  kernels: '/web/worker/assets/page-kernels-module.ts',
};

/** Gives the machine worker v86's WebAssembly so changed that it tells which pages the guest writes, and the page kernels. */
export function watchV86(): Plugin {
  let isBuild = false;
  return {
    name: 'watch-v86',
    configResolved: ({ command }) => {
      isBuild = command === 'build';
    },
    async load(id) {
      if (id.endsWith(stubs.kernels)) {
        const kernels = Buffer.from(await compileKernels()).toString('base64');
        return `export const pageKernels = '${kernels}';`;
      }
      if (!id.endsWith(stubs.watched)) return undefined;
      const { wasm, marks } = await watchedModule((why) => this.warn(why));
      const url = isBuild
        ? `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: 'v86.wasm', source: wasm })}`
        : `'data:application/wasm;base64,${Buffer.from(wasm).toString('base64')}'`;
      return `export const watchedV86 = { url: ${url}, marks: ${JSON.stringify(marks)} };`;
    },
  };
}

/** The module with its marks; as it is, and why, where it is not the one that is known. */
async function watchedModule(
  warn: (why: string) => void,
): Promise<{ wasm: Uint8Array; marks: ModuleMarks | undefined }> {
  const module = await readFile(source);
  const digest = createHash('sha256').update(module).digest('hex');
  try {
    if (digest !== memoryRuntime.module) throw new RangeError(`it is another one (${digest})`);
    const { wasm, ...marks } = watchWrites(module);
    return { wasm, marks };
  } catch (cause) {
    warn(`v86.wasm leaves no marks, and each checkpoint compares all of RAM: ${(cause as Error).message}`);
    return { wasm: module, marks: undefined };
  }
}
