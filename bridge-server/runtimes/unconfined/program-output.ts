import type { Readable } from 'node:stream';
import type { MachineProcessListener } from '../../../protocol/machine-process.ts';
import { SerialQueue } from '../../../sandbox/serial-queue.ts';
import { unconfinedLimits } from './limits.ts';

/** Hands a program's output to a listener, one piece at a time. What the listener has not taken yet waits in the pipes. */
export class ProgramOutput {
  readonly #streams: readonly Readable[];
  readonly #listener: MachineProcessListener;
  readonly #queue = new SerialQueue();
  readonly #passed: Promise<unknown>;
  #taken = 0;
  #waiting = 0;

  /** `onRefused` is called when the listener throws: it takes no more. */
  constructor(
    { stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable },
    { listener, onRefused }: { readonly listener: MachineProcessListener; readonly onRefused: () => void },
  ) {
    this.#streams = [stdout, stderr];
    this.#listener = listener;
    this.#passed = Promise.all([
      this.#pass(stdout, 'stdout').catch(onRefused),
      this.#pass(stderr, 'stderr').catch(onRefused),
    ]);
  }

  /** To be called once the program has ended: resolves when the listener has all that is left. */
  async finish(): Promise<void> {
    let before = -1;
    const timer = setInterval(() => {
      if (this.#waiting === 0 && this.#taken === before) for (const stream of this.#streams) stream.destroy();
      before = this.#taken;
    }, unconfinedLimits.idleOutputMs);
    try {
      await this.#passed;
    } finally {
      clearInterval(timer);
    }
  }

  async #pass(stream: Readable, type: 'stdout' | 'stderr'): Promise<void> {
    for await (const bytes of stream) {
      this.#waiting += 1;
      try {
        await this.#queue.run(async () => this.#listener({ type, bytes }));
      } finally {
        this.#waiting -= 1;
        this.#taken += 1;
      }
    }
  }
}
