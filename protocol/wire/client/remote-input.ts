import type { WireRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';

/** Bytes in one request: it fits the smallest message, so later ones cannot overtake it. */
const writeBytes = 49_152;

/** What a client writes to a process or a byte stream behind `session`, in order. */
export class RemoteInput {
  readonly #session: ClientSession;
  readonly #requests: { readonly write: WireRequest; readonly end: WireRequest };
  /** Resolves when everything that was written before is sent. */
  #turn: Promise<void> = Promise.resolve();

  constructor(session: ClientSession, requests: { readonly write: WireRequest; readonly end: WireRequest }) {
    this.#session = session;
    this.#requests = requests;
  }

  /** Long input waits for the reader after each piece; short input is sent at once. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async (nextTurn) => {
      let at = 0;
      for (; bytes.length - at > writeBytes; at += writeBytes)
        await this.#writeOne(bytes.subarray(at, at + writeBytes));
      const last = this.#writeOne(bytes.subarray(at));
      nextTurn();
      await last;
    });
  }

  end(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#session.call(this.#requests.end, { isRelease: true });
    });
  }

  async #writeOne(bytes: Uint8Array): Promise<void> {
    await this.#session.call(this.#requests.write, { bytes });
  }

  async #inTurn(work: (nextTurn: () => void) => Promise<void>): Promise<void> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    try {
      await work(resolve);
    } finally {
      resolve();
    }
  }
}
