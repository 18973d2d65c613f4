import type { GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { bootGuest, type GuestParts, openGuest, readGuestParts } from '../../machine/live/open-guest.ts';
import { openPlainMachine } from '../../machine/live/plain-machine.ts';
import { Lab, type LabOptions } from './lab.ts';

/** v86 as it is, with the same state: the other side of each ratio. */
export interface PlainMachine extends AsyncDisposable {
  /** Milliseconds of `save_state`. */
  saveMs(): Promise<number>;
  /** Bytes of `save_state`. */
  stateBytes(): Promise<number>;
  /** Milliseconds of `restore_state` of what was saved last. */
  restoreMs(): Promise<number>;
}

/** What benchmarks of live machines measure with: guests in this process, and the tab. */
export class LiveLab implements AsyncDisposable {
  /** How often each side of a ratio is measured; what takes less than a millisecond, a multiple of it. */
  readonly runs: number;
  /** For what is measured in Chromium. */
  readonly tab: Lab;
  #parts: Promise<GuestParts> | undefined;

  constructor(options: LabOptions) {
    this.runs = options.runs;
    this.tab = new Lab(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.tab[Symbol.asyncDispose]();
  }

  /** A guest at its prompt that can be rewound; the caller's to dispose. */
  async guest(): Promise<GuestMachine> {
    return openGuest(await this.#read());
  }

  /** A guest with so much RAM that was booted and has no golden state; the caller's to dispose. */
  async bootedGuest(memoryMiB: number): Promise<GuestMachine> {
    return bootGuest(await this.#read(), { memoryMiB });
  }

  /** v86 with the golden state, standing still; the caller's to dispose. */
  async plain(): Promise<PlainMachine> {
    const parts = await this.#read();
    const emulator = await openPlainMachine(parts);
    let { state } = parts;
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const start = performance.now();
      await work();
      return performance.now() - start;
    };
    return {
      saveMs: () =>
        time(async () => {
          state = await emulator.save_state();
        }),
      stateBytes: async () => (await emulator.save_state()).byteLength,
      restoreMs: () => time(() => emulator.restore_state(state)),
      [Symbol.asyncDispose]: () => emulator.destroy(),
    };
  }

  #read(): Promise<GuestParts> {
    this.#parts ??= readGuestParts();
    return this.#parts;
  }
}
