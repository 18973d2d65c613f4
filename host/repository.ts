import { join } from 'node:path';

/** The root of this repository. */
const repositoryPath = join(import.meta.dirname, '..');

/** A path in this repository. */
export function inRepository(...parts: string[]): string {
  return join(repositoryPath, ...parts);
}
