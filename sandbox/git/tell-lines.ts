import type { ProgressListener } from '../../protocol/sandbox/progress.ts';

/** Tells a listener of lines as progress of git. */
export function tellLines(onProgress: ProgressListener): (text: string) => void {
  const startedMs = performance.now();
  return (text) => {
    onProgress({ stage: 'git', doneBytes: 0, totalBytes: 0, elapsedMs: performance.now() - startedMs, text });
  };
}
