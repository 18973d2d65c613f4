import { shellLimits } from '../limits.ts';
import { ShellError, ShellLimitError } from '../shell-error.ts';
import { ByteQueue } from './byte-queue.ts';
import { HeldFile } from './held-file.ts';
import type { OpenFile } from './open-file.ts';
import { WaitQueue } from './wait-queue.ts';

/** Output that is kept, up to `shellLimits.captureBytes`: what a command substitution prints. */
export class CaptureOutput extends HeldFile implements OpenFile {
  readonly type = 'pipe';
  readonly #kept: ByteQueue = new ByteQueue();
  readonly #closing: WaitQueue = new WaitQueue();
  readonly #maxBytes: number;
  #isClosed = false;

  constructor(maxBytes: number = shellLimits.captureBytes) {
    super();
    this.#maxBytes = maxBytes;
  }

  /** What has been written so far. Empties it. */
  take(): Uint8Array {
    return this.#kept.take(Number.POSITIVE_INFINITY);
  }

  /** Resolves when the last process that could write has let go. */
  async closed(signal?: AbortSignal): Promise<void> {
    while (!this.#isClosed) await this.#closing.wait(signal);
  }

  read(): Promise<Uint8Array> {
    return Promise.reject(new ShellError('EBADF'));
  }

  unread(): void {}

  /** @throws ShellLimitError */
  async write(bytes: Uint8Array): Promise<void> {
    this.checkHeld();
    if (this.#kept.lengthBytes + bytes.length > this.#maxBytes) {
      throw new ShellLimitError('captureBytes', `More than ${this.#maxBytes} bytes of output were captured`);
    }
    this.#kept.push(bytes.slice());
  }

  protected close(): void {
    this.#isClosed = true;
    this.#closing.wakeAll();
  }
}
