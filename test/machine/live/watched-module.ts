import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { watchWrites } from '../../../runtimes/v86/live/watch-writes.ts';
import type { V86MachineOptions } from '../../../runtimes/v86/v86-machine.ts';
import { compileKernels } from '../../../scripts/compile-kernels.ts';
import type { PageKernels } from '../../../wasm/pages/page-kernels.ts';

const require = createRequire(import.meta.url);

export type WatchedModule = Pick<V86MachineOptions, 'instantiate' | 'marks'> & {
  readonly openKernels: NonNullable<V86MachineOptions['openKernels']>;
};

let compiled: Promise<WatchedModule> | undefined;

/** v86's module as the page's worker has it; compiled once in a process, whatever number of machines it has. */
export function watchedModule(): Promise<WatchedModule> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<WatchedModule> {
  const { wasm, ...marks } = watchWrites(await readFile(require.resolve('v86/build/v86.wasm')));
  const module = await WebAssembly.compile(wasm);
  const instantiate = async (imports: object) =>
    (await WebAssembly.instantiate(module, imports as WebAssembly.Imports)).exports;
  const kernels = await WebAssembly.compile(await compileKernels());
  const openKernels = (memory: object) => {
    const env = { memory: memory as WebAssembly.Memory, abort: () => {} };
    return new WebAssembly.Instance(kernels, { env }).exports as unknown as PageKernels;
  };
  return { instantiate, marks, openKernels };
}
