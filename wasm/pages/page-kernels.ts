/** A page, as the guest's processor has it. */
export const pageBytes = 4096;
/** Memory that `compress` uses for itself. */
export const tableBytes = 4096;

/**
 * What is done with many pages of memory at once: in WebAssembly by `assembly/`, on the memory that it is given, and as
 * its definition in `twin.ts`. Addresses are bytes from the beginning of that memory; what is out of it traps.
 */
export interface PageKernels {
  /** 1 where all of a page is zero, else 0. */
  isZero(at: number): number;
  /** 1 where two pages have the same bytes, else 0. */
  isSame(a: number, b: number): number;
  /** Writes 16 bytes to `out`: a fast hash of a page, and no defence against who looks for collisions. */
  hash(at: number, out: number): void;
  /**
   * Writes what `page` differs in from `base`: runs of words of 32 bits, each as two numbers of 16 bits, how many words
   * are equal and how many are not, and the exclusive or of those. Answers its bytes, -1 where they are more than `room`.
   */
  makeDelta(base: number, page: number, out: number, room: number): number;
  /** Makes of a page, in place, what differs from it by a delta. 1, or 0 for what is no delta: then it is neither page. */
  applyDelta(delta: number, length: number, page: number): number;
  /** Writes an LZ4 block of `length` bytes, 65,535 at most. Answers its bytes, -1 where they are more than `room`. */
  compress(at: number, length: number, out: number, room: number, table: number): number;
  /** Unpacks an LZ4 block. Answers the bytes, -1 for what is none or has more than `room`. */
  decompress(at: number, length: number, out: number, room: number): number;
  /**
   * Writes the number, 32 bits, of each page whose state, a byte, is 1 to `numbers`. Begins at page `from`; ends with
   * `most` of them. Answers how many.
   */
  list(states: number, from: number, pages: number, numbers: number, most: number): number;
  /** Copies pages into RAM: `list` has for each its number and the address of its content, 32 bits both. */
  putBack(list: number, count: number, ram: number): void;
  /** The yardstick: what WebAssembly itself copies memory with. */
  copy(to: number, from: number, length: number): void;
}
