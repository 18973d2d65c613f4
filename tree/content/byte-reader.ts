import type { ByteString } from './byte-string.ts';
import { readByteString } from './byte-string.ts';
import type { ObjectId } from './object-id.ts';
import { PackedId } from './packed-id.ts';

/** Reads what `ByteWriter` writes, and nothing else: every other encoding of a value is refused. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #at: number;

  /** `what` names the object in errors. */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
    this.#at = 0;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Bytes read so far. */
  get position(): number {
    return this.#at;
  }

  /** @throws RangeError naming the object and what is wrong with it */
  refuse(why: string): never {
    throw new RangeError(`Cannot decode ${this.#what}: ${why} at byte ${this.#at}`);
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) this.refuse('it ends early');
    this.#at += 1;
    return value;
  }

  varint(max: number): number {
    // An image consists mostly of numbers, which are decoded before the engine has compiled this.
    const bytes = this.#bytes;
    let at = this.#at;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at] ?? this.refuse('it ends early');
      this.#at = at += 1;
      value += (byte & 127) * scale;
      if (value > max) this.refuse(`a number is over ${max}`);
      if (byte < 128) {
        if (byte === 0 && scale > 1) this.refuse('a number is not in its shortest form');
        return value;
      }
      if (scale > 2 ** 49) this.refuse('a number is too long');
    }
  }

  signed(): number {
    const value = this.varint(Number.MAX_SAFE_INTEGER);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(maxBytes: number): ByteString {
    const length = this.varint(maxBytes);
    this.#need(length);
    const text = readByteString(this.#bytes, this.#at, length);
    this.#at += length;
    return text;
  }

  /** A copy of the next `length` bytes. */
  raw(length: number): Uint8Array {
    this.#need(length);
    const bytes = this.#bytes.slice(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  id(): ObjectId {
    return this.packedId().text();
  }

  /** The next id, not converted to text yet: most ids of an image are never used. */
  packedId(): PackedId {
    this.#need(32);
    const id = new PackedId(this.#bytes, this.#at);
    this.#at += 32;
    return id;
  }

  /** Checks the kind byte that every object starts with. */
  kind(kind: number): void {
    const found = this.byte();
    if (found !== kind) this.refuse(`its kind is ${found}, not ${kind}`);
  }

  end(): void {
    if (!this.atEnd) this.refuse('there are bytes after its end');
  }

  #need(count: number): void {
    if (this.#at + count > this.#bytes.length) this.refuse('it ends early');
  }
}
