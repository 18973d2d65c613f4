import type { SandboxError } from '../../errors.ts';
import { violation } from '../frames/frame.ts';
import { streamMessageCost } from '../frames/message.ts';

/** What comes on a stream; `end` and `fail` are the last of it. */
export type StreamMessage =
  | { readonly type: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly type: 'item'; readonly json: unknown; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly json: unknown }
  | { readonly type: 'fail'; readonly error: SandboxError };

export interface IncomingStreamOptions<T> {
  /** Checks what came. What it throws ends the session. */
  readonly decode: (message: StreamMessage) => T;
  /** Called with one after the other; a promise holds the next one back, and with it the sender. */
  readonly listener: (event: T) => void | Promise<void>;
  /** The listener has failed. What comes after is still told to it. */
  readonly onFailure?: (error: unknown) => void;
}

interface Queued<T> {
  readonly event: T;
  readonly costBytes: number;
}

/** How a stream is bound to its session. */
export interface StreamBinding {
  readonly windowBytes: number;
  readonly grant: (bytes: number) => void;
}

/** What a session knows of a stream. */
export interface StreamReceiver {
  /** Whether the last message has come. */
  readonly isOver: boolean;
  bind(binding: StreamBinding): void;
  /** @throws protocol-violation when the sender had no credit, or what it sent cannot be */
  accept(message: StreamMessage, sizeBytes: number): void;
  /** Ends it from this side: the session is lost. What came before is still told. */
  lose(error: SandboxError): void;
}

/** The client's end of a stream: hands events to a listener, and gives credit for what it has taken. */
export class IncomingStream<T> implements StreamReceiver {
  readonly #options: IncomingStreamOptions<T>;
  #binding: StreamBinding = { windowBytes: 0, grant: () => {} };
  readonly #queue: Queued<T>[] = [];
  #isTelling = false;
  /** Cost of what came and is not granted anew. */
  #outstanding = 0;
  /** Cost of what the listener has taken since the last grant. */
  #taken = 0;
  #isOver = false;

  constructor(options: IncomingStreamOptions<T>) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  bind(binding: StreamBinding): void {
    this.#binding = binding;
  }

  accept(message: StreamMessage, sizeBytes: number): void {
    if (this.#isOver) throw violation('more on a stream that has ended');
    if (this.#outstanding >= this.#binding.windowBytes) throw violation('more on a stream than it may');
    this.#push(message, sizeBytes + streamMessageCost);
  }

  lose(error: SandboxError): void {
    if (!this.#isOver) this.#push({ type: 'fail', error }, 0);
  }

  #push(message: StreamMessage, costBytes: number): void {
    const event = this.#options.decode(message);
    this.#isOver = message.type === 'end' || message.type === 'fail';
    this.#outstanding += costBytes;
    this.#queue.push({ event, costBytes });
    if (!this.#isTelling) void this.#tell();
  }

  async #tell(): Promise<void> {
    this.#isTelling = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      try {
        const taking = this.#options.listener(next.event);
        if (taking) await taking;
      } catch (error) {
        this.#options.onFailure?.(error);
      }
      this.#grant(next.costBytes);
    }
    this.#isTelling = false;
  }

  #grant(costBytes: number): void {
    this.#taken += costBytes;
    if (this.#isOver || this.#taken < this.#binding.windowBytes / 4) return;
    this.#binding.grant(this.#taken);
    this.#outstanding -= this.#taken;
    this.#taken = 0;
  }
}
