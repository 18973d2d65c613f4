import { ShellError } from '../shell-error.ts';
import { ByteQueue } from './byte-queue.ts';
import type { OpenFile } from './open-file.ts';

/** Input that is all there already: a here-document, a given standard input. */
export class BytesInput implements OpenFile {
  readonly type = 'pipe';
  readonly #bytes: ByteQueue = new ByteQueue();

  constructor(bytes: Uint8Array) {
    this.#bytes.push(bytes);
  }

  read(maxBytes: number): Promise<Uint8Array> {
    return Promise.resolve(this.#bytes.take(maxBytes));
  }

  unread(bytes: Uint8Array): void {
    this.#bytes.unshift(bytes);
  }

  write(): Promise<void> {
    return Promise.reject(new ShellError('EBADF'));
  }

  retain(): void {}

  release(): void {}
}
