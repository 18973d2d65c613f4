import type { PageKernels } from '../../../wasm/pages/page-kernels.ts';
import { pageKernels } from './page-kernels-module.ts';

let module: WebAssembly.Module | undefined;

/** The page kernels on a machine's memory. */
export function openKernels(memory: object): PageKernels {
  module ??= new WebAssembly.Module(
    Uint8Array.from(atob(pageKernels), (character) => character.charCodeAt(0)),
  );
  // What the compiler would call where an assertion failed; there is none.
  const env = { memory: memory as WebAssembly.Memory, abort: () => {} };
  return new WebAssembly.Instance(module, { env }).exports as unknown as PageKernels;
}
