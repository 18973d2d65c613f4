import { SandboxError } from '../../protocol/errors.ts';

const newline = 0x0a;

/** Cuts what a peer sends into lines, of which it holds one that has not ended yet, up to a limit. */
export class LineReader {
  readonly #mostBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** What comes after the last line that was taken. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Whether a line has begun that has not ended. */
  get isWithin(): boolean {
    return this.#bytes + this.#rest.length > 0;
  }

  push(bytes: Uint8Array): void {
    if (this.#rest.length === 0) this.#rest = bytes;
    else this.#rest = Buffer.concat([this.#rest, bytes]);
  }

  /** The next whole line, without its end. @throws limit-exceeded where it is longer than the limit, whole or not */
  next(): string | undefined {
    const end = this.#rest.indexOf(newline);
    const piece = end < 0 ? this.#rest : this.#rest.subarray(0, end);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#rest = end < 0 ? new Uint8Array(0) : this.#rest.subarray(end + 1);
    if (this.#bytes > this.#mostBytes) {
      throw new SandboxError('limit-exceeded', `A line is longer than ${this.#mostBytes} bytes`, {
        details: { limit: this.#mostBytes },
      });
    }
    if (end < 0) return undefined;
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }

  /** What came after the last line, for whoever reads on in another way; nothing is left here. */
  takeRest(): Uint8Array {
    const rest = this.#rest;
    this.#rest = new Uint8Array(0);
    return rest;
  }
}
