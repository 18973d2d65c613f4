import { WorkSlices } from '../../../tree/next-task.ts';

/** Steps of long work: between them others get the thread, and an abort is noticed. */
export class Steps {
  readonly #slices: WorkSlices = new WorkSlices();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** @throws what the signal was aborted with */
  async next(): Promise<void> {
    await this.#slices.end();
    this.#signal.throwIfAborted();
  }
}
