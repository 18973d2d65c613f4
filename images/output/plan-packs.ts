import { objectKinds } from '../../tree/content/kinds.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';

/** Content of one chunk pack: small enough to fetch for one file, large enough to compress well. */
const usualPackBytes = 512 * 1024;
/** A manifest names each pack in some 150 bytes, and may have 1 MiB: packs of large images are larger. */
const mostPacks = 4096;

/** The objects of an image, laid out as they are stored. */
export interface PackPlan {
  /** Everything that is not a chunk. */
  readonly metadata: readonly StoredObject[];
  /** Chunks; the first pack holds what starting reads, even when that is nothing. */
  readonly chunkPacks: readonly (readonly StoredObject[])[];
}

/** Lays out `objects` in their order, the chunks in `boot` before all others. */
export function planPacks(objects: readonly StoredObject[], boot: ReadonlySet<ObjectId>): PackPlan {
  const isChunk = ({ bytes }: StoredObject) => bytes[0] === objectKinds.chunk;
  const chunks = objects.filter(isChunk);
  return {
    metadata: objects.filter((one) => !isChunk(one)),
    chunkPacks: [chunks.filter(({ id }) => boot.has(id)), ...split(chunks.filter(({ id }) => !boot.has(id)))],
  };
}

function split(chunks: readonly StoredObject[]): StoredObject[][] {
  const packs: StoredObject[][] = [];
  const totalBytes = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const packBytes = Math.max(usualPackBytes, Math.ceil(totalBytes / mostPacks));
  let leftBytes = 0;
  for (const chunk of chunks) {
    if (leftBytes < chunk.bytes.length) {
      packs.push([]);
      leftBytes = packBytes;
    }
    packs.at(-1)?.push(chunk);
    leftBytes -= chunk.bytes.length;
  }
  return packs;
}

/** Bytes of an id that the chunk index keeps: enough to find its pack, which then proves the rest. */
const prefixBytes = 8;

/** The chunk index: the first bytes of each chunk's id, pack after pack. */
export function encodeChunkIndex(packs: readonly (readonly StoredObject[])[]): Uint8Array {
  const ids = packs.flat().map(({ id }) => Buffer.from(id.slice(0, 2 * prefixBytes), 'hex'));
  return Buffer.concat(ids);
}
