import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { root } from './run-step.ts';

const output = 'pages.wasm';

/**
 * Compiles the page kernels (`wasm/pages/assembly`), which take a second. The module has no memory of its own, no
 * data and no runtime: it works on the memory that it is given. @throws Error with what the compiler says
 */
export async function compileKernels(): Promise<Uint8Array<ArrayBuffer>> {
  let wasm: Uint8Array | undefined;
  const options = ['--importMemory', '--initialMemory', '1', '--runtime', 'stub', '--enable', 'simd'];
  const { error, stderr } = await asc.main(
    [join(root, 'wasm/pages/assembly/index.ts'), '-o', output, '-O3', '--noAssert', '--pedantic', ...options],
    {
      writeFile: (name, content) => {
        if (name.endsWith(output) && typeof content !== 'string') wasm = content;
      },
    },
  );
  if (error || !wasm)
    throw new Error(`Cannot compile the page kernels: ${error?.message}\n${stderr}`, { cause: error });
  return new Uint8Array(wasm);
}
