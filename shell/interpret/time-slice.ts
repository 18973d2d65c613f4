import { nextTask } from '../../tree/next-task.ts';
import { shellLimits } from '../limits.ts';

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
