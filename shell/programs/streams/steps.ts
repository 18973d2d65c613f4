import { nextTask } from '../../../tree/next-task.ts';
import { shellLimits } from '../../limits.ts';

/** Steps of long work: between them others get the thread, and an abort is noticed. */
export class Steps {
  readonly #signal: AbortSignal;
  #untilMs: number = performance.now() + shellLimits.sliceMs;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether others should get the thread: for loops in which an `await` at each step would cost too much. */
  get isDue(): boolean {
    return performance.now() >= this.#untilMs;
  }

  /** @throws what the signal was aborted with */
  async next(): Promise<void> {
    if (this.isDue) {
      await nextTask();
      this.#untilMs = performance.now() + shellLimits.sliceMs;
    }
    this.#signal.throwIfAborted();
  }
}
