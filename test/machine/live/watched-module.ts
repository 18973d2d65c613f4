import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { watchWrites } from '../../../web/runtimes/v86/live/watch-writes.ts';
import type { V86MachineOptions } from '../../../web/runtimes/v86/v86-machine.ts';

const require = createRequire(import.meta.url);

export type WatchedModule = Required<Pick<V86MachineOptions, 'instantiate' | 'marks'>>;

/** v86's module as the page's worker has it. */
export async function watchedModule(): Promise<WatchedModule> {
  const { wasm, ...marks } = watchWrites(await readFile(require.resolve('v86/build/v86.wasm')));
  const module = await WebAssembly.compile(wasm);
  const instantiate = async (imports: object) =>
    (await WebAssembly.instantiate(module, imports as WebAssembly.Imports)).exports;
  return { instantiate, marks };
}
