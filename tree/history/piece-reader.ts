import { joinBytes } from '../join-bytes.ts';
import { historyError } from './history-error.ts';

/** Reads bytes that arrive in pieces, in parts of any length. Has one piece in memory at most. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** Whether the last piece has been read to its end. */
  get isBetweenPieces(): boolean {
    return this.#rest.length === 0;
  }

  /** The next `length` bytes, as a view if they came in one piece. @throws invalid-argument at the end */
  async take(length: number): Promise<Uint8Array> {
    if (length <= this.#rest.length) return this.#cut(length);
    const pieces: Uint8Array[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#rest.length === 0) await this.#next();
      const piece = this.#cut(Math.min(missing, this.#rest.length));
      pieces.push(piece);
      missing -= piece.length;
    }
    return joinBytes(pieces, length);
  }

  /** A number as `ByteWriter.varint` writes it. @throws invalid-argument */
  async varint(max: number): Promise<number> {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.#rest.length === 0) await this.#next();
      const [byte = 0] = this.#cut(1);
      value += (byte & 127) * scale;
      if (value > max || scale > 2 ** 49 || (byte === 0 && scale > 1)) {
        throw historyError('invalid-argument', 'Cannot import: a number of the stream is out of range');
      }
      if (byte < 128) return value;
    }
  }

  /** Tells the sender to stop. */
  async stop(): Promise<void> {
    await this.#pieces.return?.();
  }

  #cut(length: number): Uint8Array {
    const part = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return part;
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#pieces.next();
    if (done) throw historyError('invalid-argument', 'Cannot import: the stream ends early');
    // A Buffer's own `slice` would not copy.
    this.#rest = new Uint8Array(value.buffer, value.byteOffset, value.length);
  }
}
