import { ShellError } from '../shell-error.ts';
import { ByteQueue } from './byte-queue.ts';
import { HeldFile } from './held-file.ts';
import type { OpenFile } from './open-file.ts';
import { WaitQueue } from './wait-queue.ts';

/** Input that a client feeds while the process runs. What is fed once the process no longer reads is dropped. */
export class QueueInput extends HeldFile implements OpenFile {
  readonly type = 'stream';
  readonly isTerminal: boolean;
  readonly #bytes: ByteQueue = new ByteQueue();
  readonly #changes: WaitQueue = new WaitQueue();
  #isAtEnd = false;
  #isReleased = false;

  constructor({ isTerminal = false }: { isTerminal?: boolean } = {}) {
    super();
    this.isTerminal = isTerminal;
  }

  /** Bytes that have been fed and not been read. */
  get waitingBytes(): number {
    return this.#bytes.lengthBytes;
  }

  feed(bytes: Uint8Array): void {
    if (this.#isAtEnd || this.#isReleased) return;
    this.#bytes.push(bytes.slice());
    this.#changes.wakeAll();
  }

  /** The end of the input. */
  end(): void {
    this.#isAtEnd = true;
    this.#changes.wakeAll();
  }

  /** Resolves once no more than `bytes` wait, or nobody reads any longer. */
  async drained(bytes: number, signal?: AbortSignal): Promise<void> {
    while (this.#bytes.lengthBytes > bytes && !this.#isReleased) await this.#changes.wait(signal);
  }

  async read(maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    while (this.#bytes.lengthBytes === 0 && !this.#isAtEnd) await this.#changes.wait(signal);
    signal?.throwIfAborted();
    const taken = this.#bytes.take(maxBytes);
    this.#changes.wakeAll();
    return taken;
  }

  unread(bytes: Uint8Array): void {
    this.#bytes.unshift(bytes);
    this.#changes.wakeAll();
  }

  write(): Promise<void> {
    return Promise.reject(new ShellError('EBADF'));
  }

  protected close(): void {
    this.#isReleased = true;
    this.#bytes.clear();
    this.#changes.wakeAll();
  }
}
