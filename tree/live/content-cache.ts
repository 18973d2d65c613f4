import { decodeChunk } from '../objects/chunk.ts';
import type { ObjectId } from '../objects/object-id.ts';
import type { ContentSource } from './content-source.ts';
import { nextEpoch } from './epoch.ts';

/**
 * One piece of a file: up to `treeLimits.extentBytes` bytes; those that `bytes` lacks at its end
 * are zero. Without `bytes` it is at its source under `id`.
 */
export interface Extent {
  readonly epoch: number;
  bytes: Uint8Array | undefined;
  /** The chunk that is durable with exactly this content. Cleared by a write. */
  id: ObjectId | undefined;
  /** Read since the cache last looked for something to evict. */
  used: boolean;
}

const sharedEpoch = nextEpoch();
const noBytes = new Uint8Array(0);

/** An extent whose bytes are fetched on first touch. Owned by no tree, so a write copies it. */
export function remoteExtent(id: ObjectId): Extent {
  return { epoch: sharedEpoch, bytes: undefined, id, used: false };
}

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

  /** The bytes of `extent`, fetched when they are not here. @throws what the source throws */
  load(extent: Extent): Uint8Array {
    extent.used = true;
    if (extent.bytes !== undefined) return extent.bytes;
    if (extent.id === undefined) return noBytes;
    const bytes = decodeChunk(this.source.read(extent.id)).slice();
    extent.bytes = bytes;
    this.addClean(extent);
    return bytes;
  }

  /** Tells that `extent`, which is in memory, can be fetched again by its id from now on. */
  addClean(extent: Extent): void {
    this.#clean.push(extent);
    this.#heldBytes += extent.bytes?.length ?? 0;
    while (this.#heldBytes > this.#budgetBytes && this.#clean.length - this.#head > 1) this.#evictOne();
  }

  /** Second chance (CLOCK): what was read since the last look goes to the end of the queue once. */
  #evictOne(): void {
    const extent = this.#clean[this.#head];
    this.#head += 1;
    if (extent?.bytes !== undefined && extent.id !== undefined) {
      if (extent.used) {
        extent.used = false;
        this.#clean.push(extent);
      } else {
        this.#heldBytes -= extent.bytes.length;
        extent.bytes = undefined;
      }
    }
    if (this.#head > 1024 && this.#head * 2 > this.#clean.length) {
      this.#clean = this.#clean.slice(this.#head);
      this.#head = 0;
    }
  }
}
