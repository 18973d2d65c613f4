import { join } from 'node:path';
import { type BuildOptions, buildHostProgram } from '../build-host-program.ts';

/**
 * The entrypoint of an ordinary container: guest/entry, and the parts of init that it shares. Resolves to its path.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export function buildEntrypoint(options: BuildOptions): Promise<string> {
  const folders = ['init', 'entry'];
  return buildHostProgram({ name: 'coppice-init', folders, leftOut: [join('init', 'main.c')] }, options);
}
