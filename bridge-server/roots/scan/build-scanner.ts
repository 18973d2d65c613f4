import { type BuildOptions, buildHostProgram } from '../../build-host-program.ts';

/**
 * The program that finds and reads what changed in a root: guest/scan. Resolves to its path.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export function buildScanner(options: BuildOptions): Promise<string> {
  return buildHostProgram({ name: 'scanner', folders: ['scan'] }, options);
}
