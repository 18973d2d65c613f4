import type { ObjectId } from '../tree/content/object-id.ts';
import type { ChunkPack } from './image-manifest.ts';

/** Bytes of an id that the index keeps. */
const prefixBytes = 8;
const halfDigits = 8;

/**
 * The location of an image's chunks: the first 8 bytes of each id, in the order of the packs. A hash table with
 * linear probing over the bytes as they are, so that opening an image makes no object per chunk.
 */
export class ChunkIndex {
  readonly #bytes: DataView;
  /** Chunk numbers plus one by hash; 0 is a free slot. At most half are taken. */
  readonly #slots: Uint32Array;

  readonly #packs: readonly ChunkPack[];
  /** Number of the first chunk of each pack. */
  readonly #firstChunks: readonly number[];

  /** @throws RangeError unless `bytes` are the prefixes of exactly the chunks of `packs` */
  constructor(bytes: Uint8Array, packs: readonly ChunkPack[]) {
    let chunks = 0;
    this.#packs = packs;
    this.#firstChunks = packs.map((pack) => {
      chunks += pack.chunks;
      return chunks - pack.chunks;
    });
    if (bytes.length !== chunks * prefixBytes) throw new RangeError(`it does not list ${chunks} chunks`);
    this.#bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * chunks + 2)));
    // Backwards: of chunks with the same prefix the first one is found.
    for (let chunk = chunks - 1; chunk >= 0; chunk--) this.#slots[this.#slotOf(chunk)] = chunk + 1;
  }

  /** Whether the id of some chunk begins as `id` does. */
  has(id: ObjectId): boolean {
    return this.#chunkOf(id) >= 0;
  }

  /** The pack of the chunk whose id begins as `id` does, and the chunk's place in it. */
  find(id: ObjectId): { readonly pack: ChunkPack; readonly place: number } | undefined {
    const chunk = this.#chunkOf(id);
    let low = 0;
    for (let high = this.#packs.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#firstChunks[middle] ?? 0) <= chunk) low = middle + 1;
      else high = middle;
    }
    const pack = this.#packs[low - 1];
    return pack && { pack, place: chunk - (this.#firstChunks[low - 1] ?? 0) };
  }

  /** The number of a chunk, counted over all packs; -1 when it is not listed. */
  #chunkOf(id: ObjectId): number {
    const high = Number.parseInt(id.slice(0, halfDigits), 16);
    const low = Number.parseInt(id.slice(halfDigits, 2 * halfDigits), 16);
    return (this.#slots[this.#probe(high, low)] ?? 0) - 1;
  }

  #slotOf(chunk: number): number {
    const at = chunk * prefixBytes;
    return this.#probe(this.#bytes.getUint32(at), this.#bytes.getUint32(at + 4));
  }

  /** The slot that holds a prefix, or the free one where it belongs. Ids are hashes: any bits will do. */
  #probe(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = high & mask; ; slot = (slot + 1) & mask) {
      const taken = this.#slots[slot] ?? 0;
      if (taken === 0) return slot;
      const at = (taken - 1) * prefixBytes;
      if (this.#bytes.getUint32(at) === high && this.#bytes.getUint32(at + 4) === low) return slot;
    }
  }
}
