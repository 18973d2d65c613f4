import { limits } from '../../protocol/limits.ts';
import { Rest } from './rest.ts';

/** A time without captures. */
export interface CapturePause {
  /** Resolves once none is under way any more. */
  readonly begun: Promise<void>;
  /** May be called again, and after its time. */
  readonly end: () => void;
}

/**
 * Decides when a change becomes a snapshot: after a quiet time, at the end of a command, and at
 * the latest a while after the first change. One capture runs at a time; a change during it starts
 * the next round. What `during` runs is one change.
 */
export class CaptureTimer implements AsyncDisposable {
  readonly #capture: () => Promise<void>;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  /** When the first change came that no capture has yet, and when it has to be captured. */
  #sinceMs: number | undefined;
  #deadlineMs: number | undefined;
  /** How many pieces of work `during` runs. */
  #held = 0;
  /** How many have put captures off. */
  #paused = 0;
  #running: Promise<void> | undefined;
  readonly #rest = new Rest();
  /** How long programs have stood still so far. */
  readonly #stoppedMs: () => number;
  /** Whether something waits for the capture that is due. */
  #isHurried = false;
  /** What was asked for while a capture ran. */
  #next: 'nothing' | 'touch' | 'hurry' = 'nothing';
  #stopped = false;
  readonly #isCommandRunning: () => boolean;

  /** `capture` must not reject: what goes wrong in it is its own to tell. */
  constructor(
    capture: () => Promise<void>,
    options: { readonly isCommandRunning: () => boolean; readonly stoppedMs?: () => number },
  ) {
    this.#capture = capture;
    this.#stoppedMs = options.stoppedMs ?? (() => 0);
    this.#isCommandRunning = options.isCommandRunning;
  }

  /** Whether nothing has changed since the last capture began, and it has ended. */
  get isIdle(): boolean {
    return this.#running === undefined && this.#sinceMs === undefined;
  }

  /** Something changed: capture when it has been quiet for a while. */
  touch(): void {
    if (this.#running) {
      if (this.#next === 'nothing') this.#next = 'touch';
    } else if (this.#paused > 0) {
      this.#sinceMs ??= performance.now();
    } else if (this.#held > 0) {
      this.#scheduleRested(limits.captureMaxDelayInCommandMs, limits.captureMaxDelayInCommandMs);
    } else if (this.#isCommandRunning()) {
      this.#scheduleRested(limits.captureQuietInCommandMs, limits.captureMaxDelayInCommandMs);
    } else {
      this.#scheduleRested(limits.captureQuietMs, limits.captureMaxDelayMs);
    }
  }

  /** A command ended: what it changed should be captured now. */
  hurry(): void {
    if (this.#running) this.#next = 'hurry';
    else if (this.#held > 0 || this.#paused > 0) this.touch();
    else {
      this.#isHurried = true;
      this.#schedule(0, 0);
    }
  }

  /**
   * Runs `work`, which changes files in several steps, between two captures: one that is under way
   * ends first, the next comes right after it. Work that takes longer than a change may wait is
   * captured meanwhile all the same.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running) await this.#running;
    this.#held++;
    if (this.#sinceMs !== undefined) {
      this.#deadlineMs = this.#sinceMs + limits.captureMaxDelayInCommandMs;
      this.touch();
    }
    try {
      return await work();
    } finally {
      this.#held--;
      this.hurry();
    }
  }

  /**
   * Puts captures off until the pause is ended, at most `mostMs`. One that is under way may look at the files
   * late: whoever makes what it should not see waits until the pause has begun.
   */
  pause(mostMs: number): CapturePause {
    this.#paused++;
    clearTimeout(this.#quiet);
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#paused--;
      if (this.#paused === 0 && this.#sinceMs !== undefined) this.hurry();
    };
    const timer = setTimeout(end, mostMs);
    return { begun: this.#running ?? Promise.resolve(), end };
  }

  /** Runs a capture now, after the one under way; resolves when it is done. */
  async flush(): Promise<void> {
    await this.#running;
    clearTimeout(this.#quiet);
    await this.#run();
  }

  /** What is due by now, such as what a command has changed that ended, is captured when it resolves. */
  async settle(): Promise<void> {
    await this.#running;
    const isDue = this.#deadlineMs !== undefined && this.#deadlineMs <= performance.now();
    if (!isDue || this.#paused > 0) return;
    clearTimeout(this.#quiet);
    await this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#quiet);
    await this.#running;
  }

  /** After a long capture later, unless one was asked for at once before. */
  #scheduleRested(quietMs: number, maxDelayMs: number): void {
    const restMs = this.#rest.leftMs();
    this.#schedule(Math.max(quietMs, restMs), Math.max(maxDelayMs, restMs));
  }

  #schedule(quietMs: number, maxDelayMs: number): void {
    if (this.#stopped) return;
    const now = performance.now();
    this.#sinceMs ??= now;
    this.#deadlineMs = Math.min(this.#deadlineMs ?? Number.POSITIVE_INFINITY, now + maxDelayMs);
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#run(), Math.max(0, Math.min(quietMs, this.#deadlineMs - now)));
  }

  #run(): Promise<void> {
    this.#sinceMs = undefined;
    this.#deadlineMs = undefined;
    // The end of a command is no time of its own choice.
    const rest = this.#isHurried ? {} : { stoppedMs: this.#stoppedMs };
    this.#isHurried = false;
    this.#running ??= this.#rest.after(this.#capture, rest).finally(() => {
      this.#running = undefined;
      const next = this.#next;
      this.#next = 'nothing';
      if (next !== 'nothing') this[next]();
    });
    return this.#running;
  }
}
