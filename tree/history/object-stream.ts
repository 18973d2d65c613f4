import { ByteWriter } from '../content/byte-writer.ts';
import { idFromBytes, writeIdBytes } from '../content/id-bytes.ts';
import type { ObjectId } from '../content/object-id.ts';
import { historyError } from './history-error.ts';
import { historyLimits } from './limits.ts';
import { PieceReader } from './piece-reader.ts';
import { decodeBlocks } from './stream-blocks.ts';

/** An object of a stream: its bytes, or a delta against an object that the receiver has. */
export type StreamObject =
  | { readonly type: 'whole'; readonly bytes: Uint8Array }
  | {
      readonly type: 'delta';
      readonly delta: Uint8Array;
      /** The base's number in the `BaseTable`, or its id if it has none. */
      readonly base: number | ObjectId;
    };

/** `coppice` and a version byte, before the id of the root (protocol/SPEC.md, SN-9). */
const magic: readonly number[] = [0x63, 0x6f, 0x70, 0x70, 0x69, 0x63, 0x65, 2];
const idBytes = 32;

/** The start of a stream. */
export function encodeStreamHead(root: ObjectId): Uint8Array {
  const head = new Uint8Array(magic.length + idBytes);
  head.set(magic);
  writeIdBytes(root, head, magic.length);
  return head;
}

/** The bytes before an object or its delta; without an object, the end of the stream. */
export function encodeObjectHead(object?: StreamObject): Uint8Array {
  const writer = new ByteWriter();
  if (!object) {
    writer.varint(0);
  } else if (object.type === 'whole') {
    writer.varint(object.bytes.length * 2);
  } else {
    writer.varint(object.delta.length * 2 + 1);
    writer.varint(typeof object.base === 'number' ? object.base : 0);
    if (typeof object.base === 'string') writer.id(object.base);
  }
  return writer.finish();
}

/** Reads a stream: its root, then one object after the other. Has one block and one object in memory at most. */
export class ObjectStreamReader {
  readonly #pieces: PieceReader;
  readonly #content: PieceReader;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#pieces = new PieceReader(stream);
    this.#content = new PieceReader(decodeBlocks(this.#pieces));
  }

  /** @throws invalid-argument when it is not such a stream */
  async readRoot(): Promise<ObjectId> {
    const head = await this.#pieces.take(magic.length + idBytes);
    if (magic.some((byte, index) => head[index] !== byte)) {
      throw historyError('invalid-argument', 'Cannot import: this is not an export of Coppice, version 2');
    }
    return idFromBytes(head.subarray(magic.length));
  }

  /** The next object, or `undefined` at the end. @throws limit-exceeded, invalid-argument */
  async readObject(): Promise<StreamObject | undefined> {
    const head = await this.#content.varint(Number.MAX_SAFE_INTEGER);
    if (head === 0) return this.#end();
    const isDelta = head % 2 === 1;
    const length = (head - (isDelta ? 1 : 0)) / 2;
    if (length > (isDelta ? historyLimits.streamDeltaBytes : historyLimits.streamObjectBytes)) {
      throw historyError('limit-exceeded', `Cannot import an object of ${length} bytes`);
    }
    if (!isDelta) return { type: 'whole', bytes: await this.#content.take(length) };
    const number = await this.#content.varint(historyLimits.streamBases);
    const base = number === 0 ? idFromBytes(await this.#content.take(idBytes)) : number;
    return { type: 'delta', base, delta: await this.#content.take(length) };
  }

  /** Tells the sender to stop. */
  async stop(): Promise<void> {
    await this.#pieces.stop();
  }

  #end(): undefined {
    if (this.#content.isBetweenPieces && this.#pieces.isBetweenPieces) return undefined;
    throw historyError('invalid-argument', 'Cannot import: the stream goes on after its end');
  }
}
