import { join } from 'node:path';
import { type BuildOptions, buildHostProgram } from '../../build-host-program.ts';

/**
 * The launcher: the whole of init but its `main`, and guest/launch. Resolves to the program's path.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export function buildLauncher(options: BuildOptions): Promise<string> {
  const folders = ['init', 'launch'];
  return buildHostProgram({ name: 'launcher', folders, leftOut: [join('init', 'main.c')] }, options);
}
