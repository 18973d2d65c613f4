import { type ByteString, readByteString } from '../content/byte-string.ts';

const slots = 16_384;
const longestName = 64;

/**
 * Turns name bytes into strings without making a new one each time: a direct-mapped table of the
 * names seen last. A guest asks for the same few thousand names over and over, and a string that
 * is the same object has its hash ready when the tree looks it up. Holds `slots` strings at most.
 */
export class NameCache {
  readonly #names: (ByteString | undefined)[] = new Array(slots).fill(undefined);

  /** The byte string of `length` bytes at `offset`. */
  read(bytes: Uint8Array, offset: number, length: number): ByteString {
    if (length > longestName) return readByteString(bytes, offset, length);
    let hash = 0x811c9dc5 ^ length; // FNV-1a
    for (let at = offset, end = offset + length; at < end; at++) {
      hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    }
    const slot = (hash ^ (hash >>> 15)) & (slots - 1);
    const seen = this.#names[slot];
    if (seen !== undefined && equals(seen, bytes, offset, length)) return seen;
    const name = readByteString(bytes, offset, length);
    this.#names[slot] = name;
    return name;
  }
}

function equals(name: ByteString, bytes: Uint8Array, offset: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (name.charCodeAt(index) !== bytes[offset + index]) return false;
  }
  return true;
}
