import type { ObjectId } from './object-id.ts';

const ascii = new TextDecoder();
const digits = '0123456789abcdef';
const hex: Uint8Array = new Uint8Array(64);

/** The 32 bytes of an id as the hex text that it is written as. */
export function idFromBytes(bytes: Uint8Array): ObjectId {
  // Built at once: V8 keeps the parts of a concatenated string, and ids live long.
  for (let index = 0; index < 32; index++) {
    const byte = bytes[index] ?? 0;
    hex[index * 2] = digits.charCodeAt(byte >>> 4);
    hex[index * 2 + 1] = digits.charCodeAt(byte & 15);
  }
  return ascii.decode(hex) as ObjectId;
}

/** Writes the 32 bytes of `id` into `into` at `offset`. */
export function writeIdBytes(id: ObjectId, into: Uint8Array, offset: number): void {
  for (let index = 0; index < 32; index++) {
    into[offset + index] = (nibble(id.charCodeAt(index * 2)) << 4) | nibble(id.charCodeAt(index * 2 + 1));
  }
}

function nibble(digit: number): number {
  return digit < 58 ? digit - 48 : digit - 87;
}
