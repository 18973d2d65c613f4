import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestParts } from './digest.ts';

/** What a module takes from files beside it; types are gone when it runs. */
const imported =
  /^(?:import|export)\s(?!type\s)[^'"]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

/**
 * SHA-256 over the modules of `entries` and all that they import, by their paths below `root`: the same digest, the
 * same code. Of packages it knows nothing.
 * @throws ENOENT for a module that is not there
 */
export async function digestImports(entries: readonly string[], { root }: { root: string }): Promise<string> {
  const texts = new Map<string, string>();
  const toRead = [...entries];
  for (let path = toRead.pop(); path !== undefined; path = toRead.pop()) {
    if (texts.has(path)) continue;
    const text = await readFile(join(root, path), 'utf8');
    texts.set(path, text);
    for (const [, ...found] of text.matchAll(imported)) {
      const relative = found.find((one) => one !== undefined);
      if (relative?.endsWith('.ts')) toRead.push(join(dirname(path), relative));
    }
  }
  const paths = [...texts.keys()].sort();
  return digestParts(paths.flatMap((path) => [path, texts.get(path) ?? '']));
}
