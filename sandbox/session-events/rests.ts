import { limits } from '../../protocol/limits.ts';

/** Work that what else the thread does is not to feel: after each piece of it, a rest several times as long. */
export class Rests {
  #sinceMs: number = performance.now();

  /** The work goes on after a wait, which is none of it. */
  resume(): void {
    this.#sinceMs = performance.now();
  }

  /** Call it after each step of the work. */
  async rest(): Promise<void> {
    const workedMs = performance.now() - this.#sinceMs;
    if (workedMs < limits.recordingWorkMs) return;
    await new Promise<void>((resolve) => setTimeout(resolve, workedMs * limits.recordingRests));
    this.#sinceMs = performance.now();
  }
}
