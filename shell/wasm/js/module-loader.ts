import { ShellError } from '../../shell-error.ts';
import { decodeText } from '../../text.ts';
import type { CopiedFiles } from './copied-files.ts';

/** Names of modules that are files are absolute paths; others are modules of the library. */
export function resolveModule(
  files: CopiedFiles,
  { from, name }: { readonly from: string; readonly name: string },
): string {
  if (!/^\.{0,2}\//.test(name)) return name.replace(/^node:/, '');
  const folder = from.startsWith('/') ? from.slice(0, from.lastIndexOf('/')) : '';
  const path = name.startsWith('/') ? name : `${folder}/${name}`;
  for (const candidate of [path, `${path}.js`, `${path}.mjs`, `${path}/index.js`]) {
    try {
      const real = files.realpath(candidate);
      files.read(real);
      return real;
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
    }
  }
  return path;
}

/** The source of a module, or what is thrown to who imports it. */
export function loadModule(
  files: CopiedFiles,
  {
    name,
    exportsOf,
  }: { readonly name: string; readonly exportsOf: (module: string) => readonly string[] | undefined },
): string | { error: Error } {
  if (!name.startsWith('/')) {
    const names = exportsOf(name);
    if (names === undefined) return { error: new Error(`Cannot find module '${name}'`) };
    const inner = `__modules[${JSON.stringify(name)}]`;
    return `const inner = ${inner}; export default inner; export const { ${names.join(', ')} } = inner;`;
  }
  try {
    const text = decodeText(files.read(name)).toWellFormed();
    return name.endsWith('.json') ? `export default ${text};` : text.replace(/^#!.*/, '');
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    return { error: new Error(`Cannot find module '${name}': ${error.message}`) };
  }
}
