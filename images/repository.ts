import { join } from 'node:path';

/** The root of this repository. */
export const repositoryPath: string = join(import.meta.dirname, '..');

/** A path in this repository. */
export function inRepository(...parts: string[]): string {
  return join(repositoryPath, ...parts);
}
