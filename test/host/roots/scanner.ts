import { buildScanner } from '../../../bridge-server/roots/scan/build-scanner.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';

/** The scanner, built once. */
export const scanner: Promise<string> = buildScanner({
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});
