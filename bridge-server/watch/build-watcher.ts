import { type BuildOptions, buildHostProgram } from '../build-host-program.ts';

/**
 * The program that tells when something changes in a root: guest/watch. Resolves to its path.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export function buildWatcher(options: BuildOptions): Promise<string> {
  return buildHostProgram({ name: 'watcher', folders: ['watch'] }, options);
}
