import { limits } from '../../protocol/limits.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import { openFolderWatcher } from './folder-watcher.ts';

/** How changes in `folder` would be found here: tried out with the program guest/watch. */
export async function probeWatches(folder: string, program: string): Promise<CaptureWatch> {
  await using watcher = openFolderWatcher({ program, folder });
  const { promise: isWatched, resolve } = Promise.withResolvers<void>();
  using watch = watcher.watch(folder, { onChanged: () => undefined, onState: resolve });
  const timer = setTimeout(resolve, limits.hostWatchProbeMs);
  await isWatched;
  clearTimeout(timer);
  return watch.state;
}
