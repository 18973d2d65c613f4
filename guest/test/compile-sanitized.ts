import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cachePath } from '../../host/cache/cache-folder.ts';
import { digestParts } from '../../host/cache/digest.ts';

const flags = [
  ...['-std=gnu17', '-pthread', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-O1', '-g'],
  ...['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'],
];

/**
 * Compiles C sources into `output`, with the sanitizers that end it where it errs. What was compiled of the same
 * sources before, by this compiler, is copied from the cache: seven files of tests need init.
 */
export function compileSanitized(
  output: string,
  { sources, include }: { readonly sources: readonly string[]; readonly include: string },
): void {
  const args = [...flags, '-I', include, ...sources];
  const cached = join(cachePath(), 'sanitized', digestOf(args));
  if (!existsSync(cached)) {
    mkdirSync(dirname(cached), { recursive: true });
    const made = `${cached}-${randomUUID()}`;
    execFileSync('gcc', [...args, '-o', made], { stdio: 'pipe' });
    renameSync(made, cached);
  }
  copyFileSync(cached, output);
}

/** Of the compiler, what it is told, and all C of this folder's neighbours, of which a source may include any. */
function digestOf(args: readonly string[]): string {
  const guest = join(import.meta.dirname, '..');
  const paths = readdirSync(guest, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.[ch]$/.test(path),
  );
  const files = paths.sort().flatMap((path) => [path, readFileSync(join(guest, path))]);
  return digestParts([execFileSync('gcc', ['--version']), ...args, ...files]);
}

/** The C sources in a folder. */
export function sourcesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(folder, name));
}
