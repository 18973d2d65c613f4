import { type ByteString, readByteString } from '../content/byte-string.ts';
import { NameCache } from './name-cache.ts';

const nothing = new Uint8Array(0);

/**
 * Reads the fields of one request in order, little-endian. A read past the end answers zero and
 * marks the request as malformed, so a handler reads all its fields and asks `complete` once,
 * before it changes anything. One reader serves every message: nothing is allocated for numbers
 * and names.
 */
export class RequestReader {
  #bytes: Uint8Array = nothing;
  #at = 0;
  #overrun = false;
  readonly #names = new NameCache();

  /** Starts at the body of `bytes`, behind size, type and tag. */
  open(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 7;
    this.#overrun = false;
  }

  /** Lets go of the caller's bytes. */
  close(): void {
    this.#bytes = nothing;
  }

  /** Whether every field was there and nothing follows the last one. */
  get complete(): boolean {
    return !this.#overrun && this.#at === this.#bytes.length;
  }

  u8(): number {
    const at = this.#take(1);
    return this.#bytes[at] ?? 0;
  }

  u16(): number {
    const at = this.#take(2);
    const bytes = this.#bytes;
    return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  }

  u32(): number {
    return this.#i32() >>> 0;
  }

  /** Exact up to 2^53 - 1; anything larger is `Infinity`, which no offset or size check lets pass. */
  u64(): number {
    const low = this.#i32() >>> 0;
    const high = this.#i32() >>> 0;
    return high > 0x1f_ffff ? Number.POSITIVE_INFINITY : high * 0x1_0000_0000 + low;
  }

  /** Signed seconds; beyond ±2^53 it is not a safe integer any more. */
  i64(): number {
    const low = this.#i32() >>> 0;
    return this.#i32() * 0x1_0000_0000 + low;
  }

  /** A string field that names a directory entry. */
  name(): ByteString {
    const length = this.u16();
    const at = this.#take(length);
    return this.#overrun ? '' : this.#names.read(this.#bytes, at, length);
  }

  /** Any other string field. */
  text(): ByteString {
    const length = this.u16();
    const at = this.#take(length);
    return this.#overrun ? '' : readByteString(this.#bytes, at, length);
  }

  /** A view of the next `count` bytes of the request. */
  data(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#overrun ? nothing : this.#bytes.subarray(at, at + count);
  }

  #i32(): number {
    const at = this.#take(4);
    const bytes = this.#bytes;
    return (
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)
    );
  }

  #take(count: number): number {
    const at = this.#at;
    this.#at = at + count;
    if (this.#at > this.#bytes.length) this.#overrun = true;
    return at;
  }
}
