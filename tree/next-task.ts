/** Lets messages and timers of the thread run. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Time that long work may take at once. */
const sliceMs = 12;

/** Cuts long work into slices, between which other work of the thread runs. */
export class WorkSlices {
  #untilMs: number = performance.now() + sliceMs;

  /** To be called after each piece of the work. Waits when that was the end of a slice. */
  async end(): Promise<void> {
    if (performance.now() < this.#untilMs) return;
    await nextTask();
    this.#untilMs = performance.now() + sliceMs;
  }
}
