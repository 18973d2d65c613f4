import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { frameHeaderBytes, serverFrames, sizeOf } from '../frames/frame.ts';
import { cutFrames, encodeError, encodeMessage, streamMessageCost } from '../frames/message.ts';
import type { Link } from '../link.ts';

interface Queued {
  readonly type: number;
  readonly parts: readonly Uint8Array[];
  readonly sent: () => void;
  readonly failed: (reason: SandboxError) => void;
}

/**
 * The server's end of a stream: messages go out in order while the client's credit is positive; each
 * takes its cost off it. At most `limits.wireStreamQueue` wait.
 */
export class OutgoingStream {
  readonly #id: number;
  readonly #link: Link;
  readonly #frameBytes: number;
  #queue: Queued[] = [];
  #isSending = false;
  #credit: number;
  #onCredit: (() => void) | undefined;
  #closed: SandboxError | undefined;

  constructor(id: number, options: { link: Link; frameBytes: number; windowBytes: number }) {
    this.#id = id;
    this.#link = options.link;
    this.#frameBytes = options.frameBytes;
    this.#credit = options.windowBytes;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    this.#onCredit?.();
  }

  /** Resolves when the bytes are on their way: the promise is the back-pressure. @throws connection-lost, limit-exceeded */
  async output(type: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> {
    const most = this.#frameBytes - frameHeaderBytes;
    for (let at = 0; at < bytes.length || at === 0; at += most) {
      await this.#push(serverFrames[type], [bytes.subarray(at, at + most)]);
    }
  }

  /** Resolves when the item is on its way. @throws connection-lost, limit-exceeded */
  item(json: unknown, bytes?: Uint8Array): Promise<void> {
    return this.#push(serverFrames.item, encodeMessage(bytes ? { json, bytes } : { json }));
  }

  /** An item that nobody waits with: when too many wait, the oldest of them is given up. */
  offer(json: unknown): void {
    if (this.#closed) return;
    if (this.#queue.length >= limits.wireStreamQueue) this.#queue.shift()?.sent();
    this.item(json).catch(() => undefined);
  }

  /** The last message. Resolves when it is on its way, or nobody is there to hear it. */
  async end(json?: unknown): Promise<void> {
    await this.#push(serverFrames.end, encodeMessage({ json })).catch(() => undefined);
  }

  /** The last message of a stream that cannot go on. */
  async fail(error: unknown): Promise<void> {
    await this.#push(serverFrames.fail, encodeError(SandboxError.from(error))).catch(() => undefined);
  }

  /** Drops what waits, and rejects what comes. */
  close(reason: SandboxError): void {
    this.#closed ??= reason;
    const queue = this.#queue;
    this.#queue = [];
    for (const { failed } of queue) failed(this.#closed);
    this.#onCredit?.();
  }

  #push(type: number, parts: readonly Uint8Array[]): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (this.#queue.length >= limits.wireStreamQueue) {
      const message = 'Cannot send more: whoever sends does not wait for the reader';
      return Promise.reject(new SandboxError('limit-exceeded', message));
    }
    return new Promise((sent, failed) => {
      this.#queue.push({ type, parts, sent, failed });
      if (!this.#isSending) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isSending = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      // It is out of the queue: a close while it waits finds it here.
      while (this.#credit <= 0 && !this.#closed) await this.#nextCredit();
      if (this.#closed) next.failed(this.#closed);
      else await this.#send(next);
    }
    this.#isSending = false;
  }

  async #send({ type, parts, sent }: Queued): Promise<void> {
    this.#credit -= sizeOf(parts) + streamMessageCost;
    for (const frame of cutFrames({ type, id: this.#id, parts }, this.#frameBytes)) {
      const taking = this.#link.send(frame);
      if (taking) await taking;
    }
    sent();
  }

  #nextCredit(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCredit = resolve;
    });
  }
}
