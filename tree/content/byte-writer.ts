import type { ByteString } from './byte-string.ts';
import { writeByteString } from './byte-string.ts';
import { writeIdBytes } from './id-bytes.ts';
import type { ObjectId } from './object-id.ts';

/** Appends the primitive forms of the canonical encoding (protocol/SPEC.md, OB-4) to a growing buffer. */
export class ByteWriter {
  #bytes: Uint8Array = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  /** LEB128, shortest form. `value` is a non-negative safe integer. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  /** A signed integer of at most 52 bits, zigzag. */
  signed(value: number): void {
    this.varint(value >= 0 ? value * 2 : value * -2 - 1);
  }

  text(value: ByteString): void {
    this.varint(value.length);
    const at = this.#reserve(value.length);
    writeByteString(value, this.#bytes, at);
  }

  id(id: ObjectId): void {
    const at = this.#reserve(32);
    writeIdBytes(id, this.#bytes, at);
  }

  /** `value` without its length. */
  raw(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
  }

  /** A copy of what was written, exactly as long. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return at;
  }
}
