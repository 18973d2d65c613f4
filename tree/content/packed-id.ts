import { idFromBytes } from './id-bytes.ts';
import type { ObjectId } from './object-id.ts';

/** An id where it stands in an object's bytes, which it keeps. */
export class PackedId {
  readonly #bytes: Uint8Array;
  readonly #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  text(): ObjectId {
    return idFromBytes(this.#bytes.subarray(this.#at, this.#at + 32));
  }
}
