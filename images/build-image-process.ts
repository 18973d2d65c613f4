// The process in which an image is made: `build-image-process.ts CACHE PROFILE GOLDEN`. Tells its parent what comes of it (`BuildMessage`).
import { CacheFolder } from '../host/cache/cache-folder.ts';
import { type Progress, redrawMs } from '../host/progress.ts';
import type { ErrorData } from '../protocol/errors.ts';
import { SandboxError } from '../protocol/errors.ts';
import { buildImage } from './build-image.ts';

/** `step` is the number of one that was begun. */
export type BuildMessage =
  | { readonly type: 'note' | 'warn'; readonly text: string }
  | { readonly type: 'begin'; readonly step: number; readonly label: string }
  | {
      readonly type: 'bytes';
      readonly step: number;
      readonly doneBytes: number;
      readonly totalBytes: number;
      readonly more?: string | undefined;
    }
  | { readonly type: 'detail'; readonly step: number; readonly text: string }
  | { readonly type: 'end'; readonly step: number; readonly isGood: boolean }
  /** The last one: the manifest's text, of assets that the cache has. */
  | { readonly type: 'built'; readonly text: string; readonly isOffLock: boolean }
  | { readonly type: 'failed'; readonly error: ErrorData };

// The parent has ended, and with it the reason to build.
process.on('disconnect', () => process.exit());

const [cachePath = '', profile = '', golden = ''] = process.argv.slice(2);
let steps = 0;
const progress: Progress = {
  note: (text) => tell({ type: 'note', text }),
  warn: (text) => tell({ type: 'warn', text }),
  step: async (label, work) => {
    const step = ++steps;
    tell({ type: 'begin', step, label });
    let toldMs = Number.NEGATIVE_INFINITY;
    const report = (message: BuildMessage, isLast = false) => {
      if (!isLast && performance.now() - toldMs < redrawMs) return;
      toldMs = performance.now();
      tell(message);
    };
    let isGood = false;
    try {
      const result = await work({
        bytes: (doneBytes, totalBytes, more) =>
          report({ type: 'bytes', step, doneBytes, totalBytes, more }, doneBytes === totalBytes),
        detail: (text) => report({ type: 'detail', step, text }),
      });
      isGood = true;
      return result;
    } finally {
      tell({ type: 'end', step, isGood });
    }
  },
};
const last = await buildImage(profile, {
  cache: new CacheFolder(cachePath),
  progress,
  golden: golden === 'true',
}).then(
  ({ text, manifest }): BuildMessage => ({ type: 'built', text, isOffLock: manifest.offLock.length > 0 }),
  (error: unknown): BuildMessage => ({ type: 'failed', error: SandboxError.from(error).toData() }),
);
process.send?.(last, () => process.exit());

function tell(message: BuildMessage): void {
  process.send?.(message);
}
