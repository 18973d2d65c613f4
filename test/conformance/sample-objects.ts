import { storedObject } from '../../tree/objects/hash-object.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';

/** An object whose bytes follow from `seed`; different seeds or lengths, different bytes. */
export function sampleObject(seed: number, length = 100): StoredObject {
  const bytes = new Uint8Array(length);
  let state = (seed * 2_654_435_761 + length) >>> 0;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return storedObject(bytes);
}
