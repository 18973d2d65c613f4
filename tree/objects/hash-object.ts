import { sha256 } from '@noble/hashes/sha2.js';
import type { ObjectId } from './object-id.ts';
import type { StoredObject } from './object-store.ts';

const ascii = new TextDecoder();
const digits = '0123456789abcdef';
const hex: Uint8Array = new Uint8Array(64);

let hash = (bytes: Uint8Array): ObjectId => idFromBytes(sha256(bytes));

/** The id of canonical bytes: their SHA-256 (protocol/SPEC.md, OB-1). */
export function hashObject(bytes: Uint8Array): ObjectId {
  return hash(bytes);
}

/** Uses the platform's own SHA-256 for all ids from now on, if it has a synchronous one. */
export function hashWith(native: (bytes: Uint8Array) => ObjectId): void {
  hash = native;
}

/** Canonical bytes together with their id. */
export function storedObject(bytes: Uint8Array): StoredObject {
  return { id: hashObject(bytes), bytes };
}

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
