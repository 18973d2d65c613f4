import { sha256 } from '@noble/hashes/sha2.js';
import { idFromBytes } from '../content/id-bytes.ts';
import type { ObjectId } from '../content/object-id.ts';
import type { StoredObject } from './object-store.ts';

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
