import { limits } from '../../protocol/limits.ts';
import { pause } from '../pause.ts';
import type { SerialQueue } from '../serial-queue.ts';

/**
 * The first snapshot of a new sandbox: the image, with the user's home as init set it up. The prompt
 * comes before it, and nothing that a process or a caller changes does. Of a fork of what ran, that machine.
 */
export class FirstSnapshot {
  /** Settled once there is a history. */
  readonly taken: Promise<void>;
  readonly #wanted = new AbortController();
  readonly #isOfMachine: boolean;

  /**
   * Takes it in its turn: a moment after the start, or when it is wanted, or when the sandbox closes. `isOfMachine`:
   * it is of a machine that runs already, and what changes before it is in it.
   */
  constructor(
    serial: SerialQueue,
    options: { take: () => Promise<void>; closing: AbortSignal; isOfMachine: boolean },
  ) {
    this.#isOfMachine = options.isOfMachine;
    const soon = AbortSignal.any([this.#wanted.signal, options.closing]);
    this.taken = serial.run(async () => {
      await pause(limits.firstSnapshotDelayMs, soon);
      await options.take();
    });
  }

  /** For whoever is about to change files. */
  async beforeChange(): Promise<void> {
    if (!this.#isOfMachine) await this.now();
  }

  /** For whoever waits for a turn. */
  now(): Promise<void> {
    // An abort that changes nothing makes an error all the same.
    if (!this.#wanted.signal.aborted) this.#wanted.abort();
    return this.taken;
  }
}
