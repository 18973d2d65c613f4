import { LoopExit } from './control-flow.ts';
import type { Shell } from './shell.ts';

/** How a loop goes on after its body. */
export type LoopStep = 'next' | 'leave';

/** Runs a loop's body once, and takes the `break` and `continue` that are for this loop. */
export async function runLoopBody(shell: Shell, body: () => Promise<number>): Promise<LoopStep> {
  shell.process.meter.count('loopIterations');
  try {
    shell.loopStatus = await body();
    return 'next';
  } catch (error) {
    if (!(error instanceof LoopExit)) throw error;
    shell.loopStatus = error.status;
    shell.lastStatus = error.status;
    if (error.levels > 1 && shell.loopDepth > 1) {
      error.levels -= 1;
      throw error;
    }
    return error.type === 'continue' ? 'next' : 'leave';
  }
}

/** Counts loops, such that `break` knows whether it is in one. Answers the status of the last body. */
export async function insideLoop(shell: Shell, run: () => Promise<void>): Promise<number> {
  shell.loopDepth += 1;
  shell.loopStatus = 0;
  try {
    await run();
    return shell.loopStatus;
  } finally {
    shell.loopDepth -= 1;
  }
}
