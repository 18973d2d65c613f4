import { pageBytes } from '../../../wasm/pages/page-kernels.ts';

/** Memory as WebAssembly has it: what has grown stays, and views of before are of no use after it has. */
export interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow(wasmPages: number): number;
}

const wasmPageBytes = 65_536;
/** What memory grows by. */
const growthBytes = 1_048_576;
const growthPages = growthBytes / pageBytes;
/** Sizes of cells: what is asked for is rounded up to one of these. */
const cellSizes = [64, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048, 3_072, pageBytes] as const;
const largest = cellSizes.length - 1;

/**
 * Hands out parts of a module's memory that are its own: cells of up to a page. What is given back is handed out again;
 * the memory itself never shrinks.
 */
export class PageArena {
  readonly #memory: GrowingMemory;
  readonly #freeCells: number[][] = cellSizes.map(() => []);
  #usedBytes = 0;

  constructor(memory: GrowingMemory) {
    this.#memory = memory;
  }

  /** Bytes that are handed out, as cells have them. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Address of a cell for so many bytes, at most a page. @throws RangeError where memory cannot grow any more */
  allocate(sizeBytes: number): number {
    const size = classOf(sizeBytes);
    const cells = this.#freeCells[size] as number[];
    if (cells.length === 0) this.#carve(size, cells);
    this.#usedBytes += cellSizes[size] as number;
    return cells.pop() as number;
  }

  /** Takes back a cell that was handed out for so many bytes. */
  free(address: number, sizeBytes: number): void {
    const size = classOf(sizeBytes);
    this.#usedBytes -= cellSizes[size] as number;
    this.#freeCells[size]?.push(address);
  }

  /** Has so many pages at hand, for which memory need not grow. @throws RangeError where it cannot grow any more */
  reserve(pages: number): void {
    const cells = this.#freeCells[largest] as number[];
    while (cells.length < pages) this.#carve(largest, cells);
  }

  /** Has some pages at hand that were touched: growing memory, and its first touch, are not for a pause. */
  reserveTouched(): void {
    const cells = this.#freeCells[largest] as number[];
    if (cells.length >= growthPages) return;
    const known = cells.length;
    try {
      this.reserve(growthPages);
    } catch {
      return; // Whoever needs one is told.
    }
    for (const page of cells.slice(known)) new Uint8Array(this.#memory.buffer, page, pageBytes).fill(0);
  }

  /** Makes cells of a page, or pages of new memory. */
  #carve(size: number, cells: number[]): void {
    const cellBytes = cellSizes[size] as number;
    if (size === largest) {
      const grown = this.#memory.grow(growthBytes / wasmPageBytes) * wasmPageBytes;
      for (let at = growthBytes - pageBytes; at >= 0; at -= pageBytes) cells.push(grown + at);
      return;
    }
    const pages = this.#freeCells[largest] as number[];
    if (pages.length === 0) this.#carve(largest, pages);
    const page = pages.pop() as number;
    for (let at = 0; at + cellBytes <= pageBytes; at += cellBytes) cells.push(page + at);
  }
}

function classOf(sizeBytes: number): number {
  const size = cellSizes.findIndex((bytes) => bytes >= sizeBytes);
  if (size < 0) throw new RangeError(`A cell has at most ${pageBytes} bytes, not ${sizeBytes}`);
  return size;
}
