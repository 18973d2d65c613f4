import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The exact version of v86 that is installed: a saved state is read by no other. */
export async function v86Version(): Promise<string> {
  const text = await readFile(require.resolve('v86/package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Compiles v86's WebAssembly once; the result instantiates it for any number of machines. */
export async function compileV86(): Promise<(imports: object) => Promise<object>> {
  const module = await WebAssembly.compile(await readFile(require.resolve('v86/build/v86.wasm')));
  return async (imports) => (await WebAssembly.instantiate(module, imports)).exports;
}
