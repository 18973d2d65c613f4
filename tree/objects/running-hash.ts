import { sha256 } from '@noble/hashes/sha2.js';
import { idFromBytes } from '../content/id-bytes.ts';

/** SHA-256 of bytes that come in pieces. */
export class RunningHash {
  readonly #hash = sha256.create();

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** In hexadecimal, of all by now: it can go on. */
  digest(): string {
    return idFromBytes(this.#hash.clone().digest());
  }
}
