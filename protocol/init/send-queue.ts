import type { ByteChannel } from './byte-channel.ts';

interface Waiting {
  readonly bytes: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Sends in order, one at a time: a channel that paces itself is never called while it is busy. */
export class SendQueue {
  readonly #channel: ByteChannel;
  readonly #onFailure: (reason: unknown) => void;
  #waiting: Waiting[] = [];
  #busy = false;

  constructor(channel: ByteChannel, onFailure: (reason: unknown) => void) {
    this.#channel = channel;
    this.#onFailure = onFailure;
  }

  get isIdle(): boolean {
    return !this.#busy;
  }

  /** Resolves when the channel has taken `bytes`; with an idle, synchronous channel, that is at once. */
  send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
      if (!this.#busy) void this.#run();
    });
  }

  /** Rejects what has not been sent. */
  close(reason: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(reason);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        const sending = this.#channel.send(next.bytes);
        if (sending) await sending;
        next.resolve();
      } catch (error) {
        next.reject(error);
        this.#onFailure(error);
      }
    }
    this.#busy = false;
  }
}
