import { gunzipSync } from 'fflate';
import type { ObjectId } from '../tree/objects/object-id.ts';
import { decodePack } from '../tree/objects/pack.ts';
import { SandboxError } from './errors.ts';
import type { ChunkPack, ImageAsset, ImageManifest } from './image-manifest.ts';
import { limits } from './limits.ts';

/** Bytes of an id that the chunk index keeps. */
const prefixDigits = 16;
const prefixBytes = prefixDigits / 2;

/** How an image's files are reached. Both answer the stored (gzip) bytes of `assetFileName(asset)`. */
export interface AssetFetcher {
  /** @throws asset-unavailable */
  fetch(asset: ImageAsset, options?: { signal?: AbortSignal }): Promise<Uint8Array>;
  /** Blocks the calling thread: a worker, or Node. @throws asset-unavailable */
  fetchSync(asset: ImageAsset): Uint8Array;
}

/** Told after each asset of a `prefetch`, in stored bytes. */
export type PrefetchListener = (doneBytes: number, totalBytes: number) => void;

/**
 * The objects of an image: its metadata at once, its chunks pack by pack when they are first read.
 * Packs are kept under a byte budget, the least recently used go first. Every object that it
 * answers hashes to its id.
 */
export class ImageSource {
  readonly manifest: ImageManifest;
  readonly #fetcher: AssetFetcher;
  readonly #metadata = new Map<ObjectId, Uint8Array>();
  readonly #packOf = new Map<string, ChunkPack>();
  readonly #packs = new Map<ChunkPack, Map<ObjectId, Uint8Array>>();
  readonly #budgetBytes: number;
  #keptBytes = 0;

  private constructor(manifest: ImageManifest, fetcher: AssetFetcher, budgetBytes: number) {
    this.manifest = manifest;
    this.#fetcher = fetcher;
    this.#budgetBytes = budgetBytes;
  }

  /**
   * Loads the metadata and the chunk index.
   * @throws asset-unavailable, corrupt-object
   */
  static async open(
    manifest: ImageManifest,
    fetcher: AssetFetcher,
    options: { budgetBytes?: number; signal?: AbortSignal } = {},
  ): Promise<ImageSource> {
    const source = new ImageSource(manifest, fetcher, options.budgetBytes ?? limits.imagePackCacheBytes);
    const [metadata, index] = await Promise.all([
      fetcher.fetch(manifest.metadata, options),
      fetcher.fetch(manifest.chunkIndex, options),
    ]);
    for (const { id, bytes } of unpack(metadata, manifest.metadata)) source.#metadata.set(id, bytes);
    if (!source.#metadata.has(manifest.tree))
      throw corrupt(manifest.metadata, 'the root of the tree is not in it');
    source.#readIndex(inflate(index, manifest.chunkIndex));
    return source;
  }

  has(id: ObjectId): boolean {
    return this.#metadata.has(id) || this.#packOf.has(id.slice(0, prefixDigits));
  }

  /**
   * The canonical bytes of an object; they belong to the source and are not to be altered. Fetches
   * and unpacks the pack that holds it when that is not at hand, which blocks.
   * @throws missing-object, corrupt-object, asset-unavailable
   */
  read(id: ObjectId): Uint8Array {
    const metadata = this.#metadata.get(id);
    if (metadata) return metadata;
    const pack = this.#packOf.get(id.slice(0, prefixDigits));
    const bytes = pack && this.#open(pack).get(id);
    if (bytes) return bytes;
    throw new SandboxError('missing-object', `Image "${this.manifest.name}" has no object ${id}`, {
      details: { id },
    });
  }

  /** Fetches `packs` ahead of use, in order, as far as the budget holds them. */
  async prefetch(
    packs: readonly ChunkPack[],
    options: { onProgress?: PrefetchListener; signal?: AbortSignal } = {},
  ): Promise<void> {
    const totalBytes = packs.reduce((sum, pack) => sum + pack.storedBytes, 0);
    let doneBytes = 0;
    for (const pack of packs) {
      options.signal?.throwIfAborted();
      if (!this.#packs.has(pack)) this.#keep(pack, await this.#fetcher.fetch(pack, options));
      doneBytes += pack.storedBytes;
      options.onProgress?.(doneBytes, totalBytes);
    }
  }

  /** A pack's objects, as the most recently used one. */
  #open(pack: ChunkPack): Map<ObjectId, Uint8Array> {
    const kept = this.#packs.get(pack);
    if (!kept) return this.#keep(pack, this.#fetcher.fetchSync(pack));
    this.#packs.delete(pack);
    this.#packs.set(pack, kept);
    return kept;
  }

  #keep(pack: ChunkPack, stored: Uint8Array): Map<ObjectId, Uint8Array> {
    const objects = new Map(unpack(stored, pack).map(({ id, bytes }) => [id, bytes]));
    for (const [oldest] of this.#packs) {
      if (this.#keptBytes + pack.sizeBytes <= this.#budgetBytes) break;
      this.#packs.delete(oldest);
      this.#keptBytes -= oldest.sizeBytes;
    }
    this.#packs.set(pack, objects);
    this.#keptBytes += pack.sizeBytes;
    return objects;
  }

  #readIndex(index: Uint8Array): void {
    const { chunkIndex, chunkPacks } = this.manifest;
    const chunks = chunkPacks.reduce((sum, pack) => sum + pack.chunks, 0);
    if (index.length !== chunks * prefixBytes) throw corrupt(chunkIndex, `it does not list ${chunks} chunks`);
    let at = 0;
    for (const pack of chunkPacks) {
      for (let left = pack.chunks; left > 0; left--) {
        this.#packOf.set(hex(index.subarray(at, at + prefixBytes)), pack);
        at += prefixBytes;
      }
    }
  }
}

/** The content of a stored asset. @throws corrupt-object when it is not gzip of the promised size */
export function inflate(stored: Uint8Array, asset: ImageAsset): Uint8Array {
  let content: Uint8Array;
  try {
    content = gunzipSync(stored, { out: new Uint8Array(asset.sizeBytes) });
  } catch (cause) {
    throw corrupt(asset, 'it is not gzip of the promised size', cause);
  }
  if (content.length !== asset.sizeBytes)
    throw corrupt(asset, `it has ${content.length} bytes, not ${asset.sizeBytes}`);
  return content;
}

function unpack(stored: Uint8Array, asset: ImageAsset): ReturnType<typeof decodePack> {
  const content = inflate(stored, asset);
  try {
    return decodePack(content);
  } catch (cause) {
    throw corrupt(asset, 'it is not a pack', cause);
  }
}

function hex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

function corrupt(asset: ImageAsset, why: string, cause?: unknown): SandboxError {
  return new SandboxError('corrupt-object', `Cannot use image asset ${asset.digest.slice(0, 12)}: ${why}`, {
    details: { digest: asset.digest },
    cause,
  });
}
