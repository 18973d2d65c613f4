import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../run-step.ts';

/** What a declaration takes from files beside it. */
const relative = /(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g;

/**
 * Copies the declarations of these modules, and of all that those name, from where `tsc -b` leaves them (`dist`) to the
 * folder `to`, with the same paths.
 * @throws ENOENT where `tsc -b` has not run
 */
export async function copyTypes(modules: readonly string[], to: string): Promise<void> {
  const copied = new Set<string>();
  const waiting = [...modules];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    if (copied.has(module)) continue;
    copied.add(module);
    const file = declarationOf(module);
    const text = await readFile(join(root, 'dist', file), 'utf8');
    const target = join(to, file);
    await mkdir(dirname(target), { recursive: true });
    // Compilers take `x.js` for the module that `x.d.ts` is beside, and `x.ts` for a source that is not here.
    await writeFile(
      target,
      text.replaceAll(relative, '$1$2$3.js$2').replace(/\n\/\/# sourceMappingURL=.*/, ''),
    );
    for (const [, , , path = ''] of text.matchAll(relative))
      waiting.push(join(dirname(module), `${path}.ts`));
  }
}

/** `sdk/index.d.ts` of `sdk/index.ts`. */
export function declarationOf(module: string): string {
  return module.replace(/\.ts$/, '.d.ts');
}
