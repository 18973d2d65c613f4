import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const flags = [
  ...['-std=gnu17', '-pthread', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-O1', '-g'],
  ...['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'],
];

/** Compiles C sources into `output`, with the sanitizers that end it where it errs. */
export function compileSanitized(
  output: string,
  { sources, include }: { readonly sources: readonly string[]; readonly include: string },
): void {
  execFileSync('gcc', [...flags, '-I', include, ...sources, '-o', output], { stdio: 'pipe' });
}

/** The C sources in a folder. */
export function sourcesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(folder, name));
}
