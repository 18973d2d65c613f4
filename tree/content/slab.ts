const slabBytes = 65_536;
/** V8 keeps typed arrays up to this size in its own heap, where they are cheapest. */
const heapBytes = 64;

let slab: Uint8Array = new Uint8Array(0);
let next = 0;

/**
 * Zeroed bytes for a page of a file, cut from a larger buffer: a buffer of its own costs three times
 * as much, and a write after a snapshot consists of little else. A slab lives as long as any page of
 * it does; pages written together mostly die together.
 */
export function allocateBytes(length: number): Uint8Array {
  if (length <= heapBytes) return new Uint8Array(length);
  if (next + length > slab.length) {
    slab = new Uint8Array(slabBytes);
    next = 0;
  }
  const bytes = slab.subarray(next, next + length);
  next += (length + 7) & ~7;
  return bytes;
}
