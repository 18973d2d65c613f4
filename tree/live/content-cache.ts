import { decodeChunk } from '../objects/chunk.ts';
import type { ContentSource } from './content-source.ts';
import type { Extent, Pages } from './extent.ts';
import { pagesBytes, toPages } from './extent.ts';

const noPages: Pages = [];

/**
 * Loads extents and, past a byte budget, forgets the bytes of those that can be loaded again.
 * Trees that share a source should share one cache.
 */
export class ContentCache {
  readonly source: ContentSource;
  readonly #budgetBytes: number;
  /** What may be evicted, oldest first; `#head` is where the next victim is looked for. */
  #clean: Extent[] = [];
  #head = 0;
  #heldBytes = 0;

  constructor(source: ContentSource, options: { readonly budgetBytes?: number } = {}) {
    this.source = source;
    this.#budgetBytes = options.budgetBytes ?? 256 * 1024 * 1024;
  }

  /** Bytes held that could be dropped. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The pages of `extent`, fetched when they are not here. @throws what the source throws */
  load(extent: Extent): Pages {
    extent.used = true;
    if (extent.pages !== undefined) return extent.pages;
    if (extent.id === undefined) return noPages;
    const pages = toPages(decodeChunk(this.source.read(extent.id)).slice());
    extent.pages = pages;
    this.addClean(extent);
    return pages;
  }

  /** Tells that `extent`, which is in memory, can be fetched again by its id from now on. */
  addClean(extent: Extent): void {
    this.#clean.push(extent);
    this.#heldBytes += pagesBytes(extent.pages);
    while (this.#heldBytes > this.#budgetBytes && this.#clean.length - this.#head > 1) this.#evictOne();
  }

  /** Second chance (CLOCK): what was read since the last look goes to the end of the queue once. */
  #evictOne(): void {
    const extent = this.#clean[this.#head];
    this.#head += 1;
    if (extent?.pages !== undefined && extent.id !== undefined) {
      if (extent.used) {
        extent.used = false;
        this.#clean.push(extent);
      } else {
        this.#heldBytes -= pagesBytes(extent.pages);
        extent.pages = undefined;
      }
    }
    if (this.#head > 1024 && this.#head * 2 > this.#clean.length) {
      this.#clean = this.#clean.slice(this.#head);
      this.#head = 0;
    }
  }
}
