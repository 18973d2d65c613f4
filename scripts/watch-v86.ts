import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';
import { watchWrites } from '../web/runtimes/v86/live/watch-writes.ts';
import { memoryRuntime } from '../web/runtimes/v86/memory-image/runtime.ts';

const source = createRequire(import.meta.url).resolve('v86/build/v86.wasm');
/** What imports `./watched-v86.ts` gets the module that is made here: that file says what it exports. */
const stub = '/web/worker/watched-v86.ts';

/** Gives the machine worker v86's WebAssembly so changed that it tells which pages the guest writes. */
export function watchV86(): Plugin {
  let isBuild = false;
  return {
    name: 'watch-v86',
    configResolved: ({ command }) => {
      isBuild = command === 'build';
    },
    async load(id) {
      if (!id.endsWith(stub)) return undefined;
      const { wasm, ...marks } = await watchedModule();
      const url = isBuild
        ? `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: 'v86.wasm', source: wasm })}`
        : `'data:application/wasm;base64,${Buffer.from(wasm).toString('base64')}'`;
      return `export const watchedV86 = { url: ${url}, marks: ${JSON.stringify(marks)} };`;
    },
  };
}

/** @throws Error for a module of another version, RangeError where it cannot be changed */
async function watchedModule(): Promise<ReturnType<typeof watchWrites>> {
  const module = await readFile(source);
  const digest = createHash('sha256').update(module).digest('hex');
  if (digest === memoryRuntime.module) return watchWrites(module);
  throw new Error(`v86.wasm is another one (${digest}): look whether live/watch-writes.ts still knows it`);
}
