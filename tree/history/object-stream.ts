import { idFromBytes, writeIdBytes } from '../objects/hash-object.ts';
import type { ObjectId } from '../objects/object-id.ts';
import { historyError } from './history-error.ts';
import { historyLimits } from './limits.ts';

/**
 * Objects as one stream (protocol/SPEC.md, S-9): `coppice` and a version byte, the id of the root,
 * then each object as a u32 length and its bytes, one that refers to others before them; a length
 * of zero ends it, so that a cut stream is seen as one.
 */
const magic: readonly number[] = [0x63, 0x6f, 0x70, 0x70, 0x69, 0x63, 0x65, 1];
const headBytes = magic.length + 32;
const lengthBytes = 4;

/** The start of a stream. */
export function encodeStreamHead(root: ObjectId): Uint8Array {
  const head = new Uint8Array(headBytes);
  head.set(magic);
  writeIdBytes(root, head, magic.length);
  return head;
}

/** One object of a stream; the end of it without `bytes`. */
export function encodeStreamObject(bytes: Uint8Array = new Uint8Array(0)): Uint8Array {
  const frame = new Uint8Array(lengthBytes + bytes.length);
  new DataView(frame.buffer).setUint32(0, bytes.length, true);
  frame.set(bytes, lengthBytes);
  return frame;
}

/** A stream as it comes in: its root, then one object after the other. Keeps one object at most. */
export class ObjectStreamReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** @throws invalid-argument when it is no such stream */
  async readRoot(): Promise<ObjectId> {
    const head = await this.#take(headBytes);
    if (magic.some((byte, index) => head[index] !== byte)) {
      throw historyError('invalid-argument', 'Cannot import: this is not an export of Coppice, version 1');
    }
    return idFromBytes(head.subarray(magic.length));
  }

  /** The next object, or `undefined` at the end. @throws limit-exceeded, invalid-argument */
  async readObject(): Promise<Uint8Array | undefined> {
    const head = await this.#take(lengthBytes);
    const length = new DataView(head.buffer, head.byteOffset).getUint32(0, true);
    if (length > historyLimits.streamObjectBytes) {
      throw historyError('limit-exceeded', `Cannot import an object of ${length} bytes`);
    }
    return length === 0 ? undefined : this.#take(length);
  }

  /** Tells the sender that no more is wanted. */
  async stop(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let missing = length;
    for (;;) {
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      pieces.push(piece);
      if (missing === 0) return join(pieces, length);
      const { done, value } = await this.#pieces.next();
      if (done) throw historyError('invalid-argument', 'Cannot import: the stream ends early');
      this.#rest = value;
    }
  }
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
