import type { Progress, StepReport } from '../../host/progress.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import { plainText } from './plain-text.ts';

/** Below this nobody wonders what a command does. */
const shownAfterMs = 1_000;

/**
 * Does what opens a sandbox, and shows how far its files are once they have taken over a second to unpack, as those of a
 * fork may on a host that shares no blocks.
 */
export async function showUnpacking<T>(
  progress: Progress,
  open: (onProgress: ProgressListener) => Promise<T>,
): Promise<T> {
  const opened = Promise.withResolvers<void>();
  // Where nothing is shown, nobody waits for it, and a rejection would end the process.
  opened.promise.catch(() => undefined);
  let report: StepReport | undefined;
  let step: Promise<void> | undefined;
  const listener: ProgressListener = ({ stage, doneBytes, totalBytes, elapsedMs, text }) => {
    if (stage !== 'unpack' || elapsedMs < shownAfterMs) return;
    step ??= progress.step('Unpack the files', (given) => {
      report = given;
      return opened.promise;
    });
    // A bridge may say anything (H-9).
    report?.bytes(doneBytes, totalBytes, text === undefined ? undefined : plainText(text));
  };
  try {
    const result = await open(listener);
    opened.resolve();
    return result;
  } catch (error) {
    opened.reject(error);
    throw error;
  } finally {
    // The mark at its end is on the screen before anything else is; a failure is told by the caller.
    await step?.catch(() => undefined);
  }
}
