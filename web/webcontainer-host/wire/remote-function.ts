import { SandboxError } from '../../../protocol/errors.ts';
import { rawValue, requestTypes } from './messages.ts';

/** A listener of the client, behind a port. Whoever got it closes it. */
export class RemoteFunction {
  readonly #port: MessagePort;
  readonly #answers = new Map<string, PromiseWithResolvers<void>>();
  #calls = 0;
  #isClosed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== 'object' || data === null || !('id' in data) || typeof data.id !== 'string') return;
      // What the listener returns or throws concerns the client only.
      this.#answers.get(data.id)?.resolve();
      this.#answers.delete(data.id);
    };
  }

  /** Resolves when the client has taken it, so that a slow client slows down who calls. @throws connection-lost */
  call(...values: readonly unknown[]): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed());
    const id = `${this.#calls++}`;
    const answer = Promise.withResolvers<void>();
    this.#answers.set(id, answer);
    this.#port.postMessage({ id, type: requestTypes.apply, path: [], argumentList: values.map(rawValue) });
    return answer.promise;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#port.postMessage({ id: `${this.#calls}`, type: requestTypes.release, path: [] });
    this.#port.close();
    for (const answer of this.#answers.values()) {
      answer.promise.catch(() => undefined); // The caller may not wait for it.
      answer.reject(closed());
    }
    this.#answers.clear();
  }
}

function closed(): SandboxError {
  return new SandboxError('connection-lost', 'Cannot call the listener: the client has let go of it');
}
