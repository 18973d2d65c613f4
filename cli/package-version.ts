import { readFileSync } from 'node:fs';
import { inRepository } from '../host/repository.ts';

/** Of this program. */
export function packageVersion(): string {
  return String(JSON.parse(readFileSync(inRepository('package.json'), 'utf8')).version);
}
