import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ByteSource } from './stream-body.ts';

/** One event of a stream of server-sent events; `data` is sent as JSON, so it is one line. */
export interface SseEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

const encoder = new TextEncoder();
const heartbeat = encoder.encode(': still here\n\n');

/** The text of an event (HTML standard, 9.2.5). `id` and `event` are ours and hold no line break. */
function formatSse({ id, event, data }: SseEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${event}`,
    `data: ${JSON.stringify(data)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Events on their way to one client. Says that it is still there when nothing happens. */
export class SseStream implements ByteSource {
  readonly #onClose: () => Promise<void> | void;
  readonly #heartbeatMs: number;
  #text = '';
  #pending = 0;
  #taken = Promise.withResolvers<void>();
  #came = Promise.withResolvers<void>();
  #hasEnded = false;
  #isClosed = false;

  constructor(onClose: () => Promise<void> | void, options: { heartbeatMs?: number } = {}) {
    this.#onClose = onClose;
    this.#heartbeatMs = options.heartbeatMs ?? limits.heartbeatMs;
    this.#taken.promise.catch(() => {}); // Whoever sends without waiting does not ask.
  }

  /** Events that the client has not taken yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Resolves when the event is on its way; who sends much waits for it. @throws aborted when the client is gone */
  send(event: SseEvent): Promise<void> {
    if (this.#isClosed || this.#hasEnded) return Promise.reject(gone());
    this.#text += formatSse(event);
    this.#pending++;
    this.#came.resolve();
    return this.#taken.promise;
  }

  /** Ends the stream after what has been sent. */
  end(): void {
    this.#hasEnded = true;
    this.#came.resolve();
  }

  async pull(): Promise<Uint8Array | undefined> {
    if (this.#text === '' && !this.#hasEnded) {
      const timer = setTimeout(() => this.#came.resolve(), this.#heartbeatMs);
      await this.#came.promise;
      clearTimeout(timer);
    }
    this.#came = Promise.withResolvers<void>();
    if (this.#text === '') return this.#hasEnded ? undefined : heartbeat;
    const bytes = encoder.encode(this.#text);
    const taken = this.#taken;
    this.#text = '';
    this.#pending = 0;
    this.#taken = Promise.withResolvers<void>();
    this.#taken.promise.catch(() => {});
    taken.resolve();
    return bytes;
  }

  close(): Promise<void> | void {
    this.#isClosed = true;
    this.#came.resolve();
    this.#taken.reject(gone());
    return this.#onClose();
  }
}

function gone(): SandboxError {
  return new SandboxError('aborted', 'The client has gone');
}
