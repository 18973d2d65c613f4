import { buildHostProgram } from '../../../bridge-server/programs/build-host-program.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';

/** The scanner, built once. */
export const scanner: Promise<string> = buildHostProgram('scanner', {
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});
