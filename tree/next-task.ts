/** Yields to messages and timers of the thread. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Length of one slice of long work. */
const sliceMs = 12;

/** Divides long work into slices, between which other work of the thread runs. */
export class WorkSlices {
  #untilMs: number = performance.now() + sliceMs;

  /** Call it after each step of the work. Yields at the end of a slice. */
  async end(): Promise<void> {
    if (performance.now() < this.#untilMs) return;
    await nextTask();
    this.#untilMs = performance.now() + sliceMs;
  }
}
