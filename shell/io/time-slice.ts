import { nextTask } from '../../tree/next-task.ts';
import { shellLimits } from '../limits.ts';
import { resumed } from './run-meter.ts';

/** When the thread's shells, all together, let others have the thread. */
let endsAtMs = 0;

export function isSliceOver(): boolean {
  return performance.now() >= endsAtMs;
}

/** Lets others have the thread, and starts a slice. */
export async function startSlice(): Promise<void> {
  await nextTask();
  if (isSliceOver()) endsAtMs = performance.now() + shellLimits.sliceMs;
}

/**
 * A step of work that may never have to wait: at the end of a slice others get the thread, such that what reads on and on can be
 * ended. @throws what the signal was aborted with
 */
export async function endStep(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (!isSliceOver()) return;
  await startSlice();
  resumed(signal);
  signal?.throwIfAborted();
}
