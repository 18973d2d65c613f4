import { limits } from '../../protocol/limits.ts';

/**
 * Decides when a change becomes a snapshot: after a quiet time, at the end of a command, and at
 * the latest a while after the first change. One capture runs at a time; a change during it starts
 * the next round.
 */
export class CaptureTimer implements AsyncDisposable {
  readonly #capture: () => Promise<void>;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #deadlineMs: number | undefined;
  #running: Promise<void> | undefined;
  /** What was asked for while a capture ran. */
  #next: 'nothing' | 'touch' | 'hurry' = 'nothing';
  #stopped = false;
  readonly #isCommandRunning: () => boolean;

  /** `capture` must not reject: what goes wrong in it is its own to tell. */
  constructor(capture: () => Promise<void>, options: { isCommandRunning: () => boolean }) {
    this.#capture = capture;
    this.#isCommandRunning = options.isCommandRunning;
  }

  /** Something changed: capture when it has been quiet for a while. */
  touch(): void {
    if (this.#running) {
      if (this.#next === 'nothing') this.#next = 'touch';
    } else if (this.#isCommandRunning()) {
      this.#schedule(limits.captureQuietInCommandMs, limits.captureMaxDelayInCommandMs);
    } else {
      this.#schedule(limits.captureQuietMs, limits.captureMaxDelayMs);
    }
  }

  /** A command ended: what it changed should be captured now. */
  hurry(): void {
    if (this.#running) this.#next = 'hurry';
    else this.#schedule(0, 0);
  }

  /** Runs a capture now, after the one under way; resolves when it is done. */
  async flush(): Promise<void> {
    await this.#running;
    clearTimeout(this.#quiet);
    await this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#quiet);
    await this.#running;
  }

  #schedule(quietMs: number, maxDelayMs: number): void {
    if (this.#stopped) return;
    const now = performance.now();
    this.#deadlineMs = Math.min(this.#deadlineMs ?? Number.POSITIVE_INFINITY, now + maxDelayMs);
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#run(), Math.max(0, Math.min(quietMs, this.#deadlineMs - now)));
  }

  #run(): Promise<void> {
    this.#deadlineMs = undefined;
    this.#running ??= this.#capture().finally(() => {
      this.#running = undefined;
      const next = this.#next;
      this.#next = 'nothing';
      if (next !== 'nothing') this[next]();
    });
    return this.#running;
  }
}
