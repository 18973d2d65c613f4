import { buildWatcher } from '../../../bridge-server/watch/build-watcher.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';

/** The program that watches roots, built once. */
export const watcher: Promise<string> = buildWatcher({
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});
