import { buildHostProgram } from '../../../bridge-server/programs/build-host-program.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';

/** The program that watches roots, built once. */
export const watcher: Promise<string> = buildHostProgram('watcher', {
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});
