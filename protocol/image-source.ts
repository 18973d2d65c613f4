import type { ObjectId } from '../tree/content/object-id.ts';
import { hashObject } from '../tree/objects/hash-object.ts';
import { decodePack } from '../tree/objects/pack.ts';
import { ChunkIndex } from './chunk-index.ts';
import { SandboxError } from './errors.ts';
import { type DirectoryRow, ImageDirectories } from './image-directories.ts';
import type { ChunkPack, ImageAsset, ImageManifest } from './image-manifest.ts';
import { limits } from './limits.ts';

/** Access to an image's files. */
export interface AssetFetcher {
  /** The content of an asset, inflated, of the promised size; the caller's. @throws asset-unavailable, corrupt-object */
  content(asset: ImageAsset, options?: { signal?: AbortSignal }): Promise<ArrayBuffer>;
  /** The same; blocks the calling thread: a worker, or Node. @throws asset-unavailable, corrupt-object */
  contentSync(asset: ImageAsset): Uint8Array;
}

/** Called after each asset of a `prefetch`, with stored bytes. */
export type PrefetchListener = (doneBytes: number, totalBytes: number) => void;

/** A pack in memory. Most of its chunks are never read, so each is hashed only when it is. */
interface OpenPack {
  readonly chunks: readonly Uint8Array[];
  /** Ids whose hash was verified. */
  readonly verified: Set<ObjectId>;
}

/**
 * The objects of an image: its metadata at once, its chunks pack by pack when they are first read. Packs are cached
 * within a byte budget, and evicted least recently used first. Every returned object is verified against its id.
 */
export class ImageSource {
  readonly manifest: ImageManifest;
  /** Sizes of its directories, from trees that were loaded. */
  readonly directories: ImageDirectories;
  readonly #fetcher: AssetFetcher;
  readonly #metadata: ReadonlyMap<ObjectId, Uint8Array>;
  readonly #index: ChunkIndex;
  readonly #packs = new Map<ChunkPack, OpenPack>();
  readonly #budgetBytes: number;
  #keptBytes = 0;
  /** The pack that was read last, and whether it follows the one before. */
  #lastRead = { at: -1, isNext: false };
  /** On their way, by `readAhead`. */
  readonly #coming = new Map<ChunkPack, Promise<void>>();

  private constructor(
    manifest: ImageManifest,
    parts: {
      fetcher: AssetFetcher;
      metadata: ReadonlyMap<ObjectId, Uint8Array>;
      index: ChunkIndex;
      directories: readonly DirectoryRow[];
      budgetBytes: number;
    },
  ) {
    this.manifest = manifest;
    this.directories = new ImageDirectories(parts.metadata.keys(), parts.directories);
    this.#fetcher = parts.fetcher;
    this.#metadata = parts.metadata;
    this.#budgetBytes = parts.budgetBytes;
    this.#index = parts.index;
  }

  /**
   * Loads the metadata, the chunk index and `packs`, all at once. `ids` are those of the metadata's
   * objects, in their order, and `directories` what is known of those, where they have been verified before.
   * @throws asset-unavailable, corrupt-object
   */
  static async open(
    manifest: ImageManifest,
    fetcher: AssetFetcher,
    options: {
      packs?: readonly ChunkPack[];
      ids?: readonly ObjectId[] | undefined;
      directories?: readonly DirectoryRow[] | undefined;
      budgetBytes?: number;
      signal?: AbortSignal;
    } = {},
  ): Promise<ImageSource> {
    const { packs = [], ids, directories = [], budgetBytes = limits.imagePackCacheBytes } = options;
    const [content, index, ...chunks] = await Promise.all([
      fetcher.content(manifest.metadata, options),
      fetcher.content(manifest.chunkIndex, options),
      ...packs.map((pack) => fetcher.content(pack, options)),
    ]);
    const objects = attempt(manifest.metadata, () => decodePack(new Uint8Array(content)));
    const known = ids?.length === objects.length ? ids : [];
    const metadata = new Map(objects.map((bytes, at) => [known[at] ?? hashObject(bytes), bytes]));
    if (!metadata.has(manifest.tree)) throw corrupt(manifest.metadata, 'the root of the tree is not in it');
    const source = new ImageSource(manifest, {
      fetcher,
      metadata,
      index: attempt(manifest.chunkIndex, () => new ChunkIndex(new Uint8Array(index), manifest.chunkPacks)),
      directories: known.length > 0 ? directories : [],
      budgetBytes,
    });
    packs.forEach((pack, at) => {
      const bytes = chunks[at];
      if (bytes) source.#keep(pack, new Uint8Array(bytes));
    });
    return source;
  }

  /** The root of its file tree. */
  get tree(): ObjectId {
    return this.manifest.tree;
  }

  /** Ids of the metadata's objects, in their order. */
  metadataIds(): ObjectId[] {
    return [...this.#metadata.keys()];
  }

  has(id: ObjectId): boolean {
    return this.#metadata.has(id) || this.#index.has(id);
  }

  /**
   * The canonical bytes of an object; they belong to the source and are not to be altered. Fetches
   * and unpacks the pack that holds it when that is not at hand, which blocks.
   * @throws missing-object, corrupt-object, asset-unavailable
   */
  read(id: ObjectId): Uint8Array {
    const metadata = this.#metadata.get(id);
    if (metadata) return metadata;
    const chunk = this.#index.find(id);
    if (chunk) return this.#readChunk(id, chunk);
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
      if (!this.#packs.has(pack))
        this.#keep(pack, new Uint8Array(await this.#fetcher.content(pack, options)));
      doneBytes += pack.storedBytes;
      options.onProgress?.(doneBytes, totalBytes);
    }
  }

  /**
   * For one who reads much, in the order of the packs, and can wait: resolves when what the last call began to fetch is
   * there, and begins to fetch what follows the pack that was read last. What cannot be fetched fails when it is read.
   */
  async readAhead(): Promise<void> {
    const before = [...this.#coming.values()];
    const { chunkPacks } = this.manifest;
    const { at, isNext } = this.#lastRead;
    let aheadBytes = 0;
    for (const pack of isNext ? chunkPacks.slice(at + 1, at + 1 + limits.imageReadAheadPacks) : []) {
      if (aheadBytes > limits.imageReadAheadBytes || this.#coming.size >= limits.imageReadAheadPacks) break;
      aheadBytes += pack.sizeBytes;
      if (!this.#packs.has(pack) && !this.#coming.has(pack)) this.#begin(pack);
    }
    await Promise.all(before);
  }

  #begin(pack: ChunkPack): void {
    const fetched = this.#fetcher
      .content(pack)
      .then((content) => {
        if (!this.#packs.has(pack)) this.#keep(pack, new Uint8Array(content));
      })
      .catch(() => undefined)
      .finally(() => this.#coming.delete(pack));
    this.#coming.set(pack, fetched);
  }

  #readChunk(id: ObjectId, { pack, place }: { pack: ChunkPack; place: number }): Uint8Array {
    const { chunks, verified } = this.#open(pack);
    const bytes = chunks[place];
    if (!bytes) throw corrupt(pack, `it has only ${chunks.length} chunks`);
    if (verified.has(id)) return bytes;
    if (hashObject(bytes) !== id) throw corrupt(pack, `its chunk ${place} is not object ${id}`);
    verified.add(id);
    return bytes;
  }

  /** An unpacked pack, as the most recently used one. */
  #open(pack: ChunkPack): OpenPack {
    const { chunkPacks } = this.manifest;
    if (chunkPacks[this.#lastRead.at] !== pack) {
      const isNext = chunkPacks[this.#lastRead.at + 1] === pack;
      this.#lastRead = { at: isNext ? this.#lastRead.at + 1 : chunkPacks.indexOf(pack), isNext };
    }
    const kept = this.#packs.get(pack);
    if (!kept) return this.#keep(pack, this.#fetcher.contentSync(pack));
    this.#packs.delete(pack);
    this.#packs.set(pack, kept);
    return kept;
  }

  #keep(pack: ChunkPack, content: Uint8Array): OpenPack {
    const chunks = attempt(pack, () => decodePack(content));
    for (const [oldest] of this.#packs) {
      if (this.#keptBytes + pack.sizeBytes <= this.#budgetBytes) break;
      this.#packs.delete(oldest);
      this.#keptBytes -= oldest.sizeBytes;
    }
    const open = { chunks, verified: new Set<ObjectId>() };
    this.#packs.set(pack, open);
    this.#keptBytes += pack.sizeBytes;
    return open;
  }
}

/** Parses an asset's content. @throws corrupt-object when it throws */
function attempt<T>(asset: ImageAsset, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw corrupt(asset, (cause as Error).message, cause);
  }
}

function corrupt(asset: ImageAsset, why: string, cause?: unknown): SandboxError {
  return new SandboxError('corrupt-object', `Cannot use image asset ${asset.digest.slice(0, 12)}: ${why}`, {
    details: { digest: asset.digest },
    cause,
  });
}
