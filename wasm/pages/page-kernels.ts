/** A page, as the guest's processor has it. */
export const pageBytes = 4096;
/** Memory that `compress` uses for itself. */
export const tableBytes = 4096;

/**
 * Operations on many pages of memory: implemented in WebAssembly by `assembly/`, on the memory that it imports, and
 * defined by `twin.ts`. Addresses are byte offsets in that memory; one that is out of bounds traps.
 */
export interface PageKernels {
  /** 1 where all of a page is zero, else 0. */
  isZero(at: number): number;
  /** 1 where two pages have the same bytes, else 0. */
  isSame(a: number, b: number): number;
  /** Writes 16 bytes to `out`: a fast hash of a page, not collision-resistant against an attacker. */
  hash(at: number, out: number): void;
  /**
   * Writes the delta from `base` to `page`: runs of 32-bit words, each as two 16-bit numbers, how many words are
   * equal and how many differ, and the XOR of the latter. Answers its size, or -1 if it takes more than `room`.
   */
  makeDelta(base: number, page: number, out: number, room: number): number;
  /**
   * Applies a delta to a page in place, which turns either of its two pages into the other. Answers 1, or 0 if the
   * delta is not valid: then the page is neither.
   */
  applyDelta(delta: number, length: number, page: number): number;
  /**
   * Compresses `length` bytes, 65,535 at most, to an LZ4 block. Answers its size, or -1 if it takes more than
   * `room`.
   */
  compress(at: number, length: number, out: number, room: number, table: number): number;
  /** Unpacks an LZ4 block. Answers the number of bytes, or -1 if the block is not valid or has more than `room`. */
  decompress(at: number, length: number, out: number, room: number): number;
  /**
   * Writes the number, 32 bits, of each page whose state, a byte, is 1 to `numbers`. Begins at page `from`; ends with
   * `most` of them. Answers how many.
   */
  list(states: number, from: number, pages: number, numbers: number, most: number): number;
  /** Copies pages into RAM: `list` has for each its number and the address of its content, 32 bits both. */
  putBack(list: number, count: number, ram: number): void;
  /** The baseline of benchmarks: WebAssembly's own memory copy. */
  copy(to: number, from: number, length: number): void;
}
