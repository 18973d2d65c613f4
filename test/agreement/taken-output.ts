import type { OpenFile } from '../../shell/io/open-file.ts';
import { ShellError } from '../../shell/shell-error.ts';
import { outputBytes } from './case-place.ts';

/** Takes what a shell writes, as a pipe whose reader leaves once it has enough. */
export class TakenOutput implements OpenFile {
  readonly type = 'pipe';
  readonly #pieces: Buffer[] = [];
  #size = 0;

  /** The bytes, one a character. */
  get text(): string {
    return Buffer.concat(this.#pieces).toString('latin1');
  }

  async read(): Promise<never> {
    throw new ShellError('EBADF');
  }

  unread(): void {}

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#size >= outputBytes) throw new ShellError('EPIPE');
    const piece = Buffer.from(bytes.slice(0, outputBytes - this.#size));
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  retain(): void {}

  release(): void {}
}
