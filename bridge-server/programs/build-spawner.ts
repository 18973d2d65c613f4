import { type BuildOptions, buildHostProgram } from '../build-host-program.ts';

/**
 * The program that starts others: guest/spawn. Resolves to its path.
 * @throws unsupported when there is no C compiler and none can be fetched
 */
export function buildSpawner(options: BuildOptions): Promise<string> {
  return buildHostProgram({ name: 'spawner', folders: ['spawn'] }, options);
}
