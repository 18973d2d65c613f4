import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';

/** Memory as WebAssembly has it: what has grown stays, and views of before are of no use after it has. */
export interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow(wasmPages: number): number;
}

const wasmPageBytes = 65_536;
/** What is asked for at once, and handed out whole as a chunk. */
export const chunkBytes = 1_048_576;
/** Sizes of cells: what is asked for is rounded up to one of these. */
const cellSizes = [64, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048, 3_072, pageBytes] as const;
const largest = cellSizes.length - 1;

/**
 * Hands out parts of a module's memory that are its own: cells of up to a page, and chunks of a MiB. What is given
 * back is handed out again; the memory itself never shrinks.
 */
export class PageArena {
  readonly #memory: GrowingMemory;
  readonly #freeCells: number[][] = cellSizes.map(() => []);
  readonly #freeChunks: number[] = [];
  #usedBytes = 0;

  constructor(memory: GrowingMemory) {
    this.#memory = memory;
  }

  /** Bytes that are handed out, as cells and chunks have them. */
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

  /** Address of `chunkBytes`. @throws RangeError where memory cannot grow any more */
  allocateChunk(): number {
    this.#usedBytes += chunkBytes;
    return this.#freeChunks.pop() ?? this.#memory.grow(chunkBytes / wasmPageBytes) * wasmPageBytes;
  }

  /** Has the next chunk at hand, in memory that was touched: growing it, and its first touch, are not for a pause. */
  reserveChunk(): void {
    if (this.#freeChunks.length > 0) return;
    let chunk: number;
    try {
      chunk = this.#memory.grow(chunkBytes / wasmPageBytes) * wasmPageBytes;
    } catch {
      return; // Whoever needs one is told.
    }
    new Uint8Array(this.#memory.buffer, chunk, chunkBytes).fill(0);
    this.#freeChunks.push(chunk);
  }

  freeChunk(address: number): void {
    this.#usedBytes -= chunkBytes;
    this.#freeChunks.push(address);
  }

  /** Makes cells of a page, or pages of a chunk. */
  #carve(size: number, cells: number[]): void {
    const cellBytes = cellSizes[size] as number;
    if (size === largest) {
      const chunk = this.#freeChunks.pop() ?? this.#memory.grow(chunkBytes / wasmPageBytes) * wasmPageBytes;
      for (let at = chunkBytes - pageBytes; at >= 0; at -= pageBytes) cells.push(chunk + at);
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
