import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/** The mark in the timeline that says how the machine was stored last; there is one at most. */
export const machineStored = 'coppice machine stored';

export interface MachineStored {
  /** As it was then (`Date.now()`) or later. */
  readonly sinceMs: number;
  /** Nothing was heard of it from then on. */
  readonly isCurrent: boolean;
}

export interface RunningImageParts {
  /** Stores the machine as it is now; answers how many bytes that took. */
  readonly store: () => Promise<number>;
  /** Frees what nothing needs. */
  readonly collect: () => Promise<unknown>;
  /** Whether a command runs, which may compute without a word. */
  readonly isRunning: () => boolean;
}

/**
 * Keeps the stored image of a machine near what it is: while something happens, one in each second, and fewer where
 * they are large, so that the bytes written in a second are bounded.
 */
export class RunningImage implements AsyncDisposable {
  readonly #parts: RunningImageParts;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isActive = false;
  #stored: MachineStored | undefined;
  #notBeforeMs = 0;
  #garbageBytes = 0;
  #storing: Promise<void> | undefined;
  #isDisposed = false;

  constructor(parts: RunningImageParts) {
    this.#parts = parts;
  }

  /** Something happened in the machine, or in its history. */
  noteActivity(): void {
    this.#setActive();
    this.#schedule(limits.runningImageEveryMs);
  }

  /** A command has ended, or something was published: it is stored soon. */
  hurry(): void {
    this.#setActive();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(limits.runningImageSoonMs);
  }

  /** Stores it now, if anything happened since the last time. */
  async flush(): Promise<void> {
    await this.#storing;
    if (this.#isActive) await this.#store();
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    await this.#storing;
  }

  #setActive(): void {
    this.#isActive = true;
    if (this.#stored?.isCurrent) this.#mark({ ...this.#stored, isCurrent: false });
  }

  #mark(stored: MachineStored): void {
    this.#stored = stored;
    performance.clearMarks(machineStored);
    performance.mark(machineStored, { detail: stored });
  }

  #schedule(afterMs: number): void {
    if (this.#isDisposed || this.#storing) return;
    const waitMs = Math.max(afterMs, this.#notBeforeMs - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#store();
    }, waitMs);
  }

  #store(): Promise<void> {
    this.#isActive = false;
    this.#storing = this.#storeNow().finally(() => {
      this.#storing = undefined;
      if (this.#isActive || this.#parts.isRunning()) this.#schedule(limits.runningImageEveryMs);
    });
    return this.#storing;
  }

  /** What fails is tried again with the next activity: a start without an image finds the files. */
  async #storeNow(): Promise<void> {
    const sinceMs = Date.now();
    try {
      const bytes = await this.#parts.store();
      this.#mark({ sinceMs, isCurrent: !this.#isActive });
      this.#notBeforeMs = performance.now() + (bytes / limits.runningImageBytesPerSecond) * 1_000;
      this.#garbageBytes += bytes;
      if (this.#garbageBytes < limits.runningImageGarbageBytes) return;
      this.#garbageBytes = 0;
      await this.#parts.collect();
    } catch (cause) {
      const { code, message } = SandboxError.from(cause);
      if (code !== 'connection-lost') console.info('The running machine was not stored:', message);
    }
  }
}
