import { decodeChunk } from '../content/chunk.ts';
import type { ContentSource } from '../content/content-source.ts';
import type { Extent, Pages } from '../content/extent.ts';
import { pagesBytes, toPages } from '../content/extent.ts';

const noPages: Pages = [];

/**
 * Loads extents and, past a byte budget, evicts those that can be loaded again. Trees that share a source should
 * share one cache.
 */
export class ContentCache {
  readonly source: ContentSource;
  readonly #budgetBytes: number;
  /** Extents that may be evicted, oldest first; the search for the next victim starts at `#head`. */
  #clean: Extent[] = [];
  #head = 0;
  #heldBytes = 0;

  constructor(source: ContentSource, options: { readonly budgetBytes?: number } = {}) {
    this.source = source;
    this.#budgetBytes = options.budgetBytes ?? 256 * 1024 * 1024;
  }

  /** Bytes in memory that could be evicted. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The pages of `extent`, loaded if they are not in memory. @throws what the source throws */
  load(extent: Extent): Pages {
    extent.used = true;
    if (extent.pages !== undefined) return extent.pages;
    if (extent.id === undefined) return noPages;
    const pages = toPages(decodeChunk(this.source.read(extent.id)).slice());
    extent.pages = pages;
    this.addClean(extent);
    return pages;
  }

  /** Marks `extent`, which is in memory, as one that can be loaded again by its id. */
  addClean(extent: Extent): void {
    this.#clean.push(extent);
    this.#heldBytes += pagesBytes(extent.pages);
    while (this.#heldBytes > this.#budgetBytes && this.#clean.length - this.#head > 1) this.#evictOne();
  }

  /** Second chance (CLOCK): an extent that was read since the last pass goes to the end of the queue once. */
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
