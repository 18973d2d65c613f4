import { gunzipSync, gzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { parseObjectId } from '../tree/content/object-id.ts';
import { hashObject, storedObject } from '../tree/objects/hash-object.ts';
import type { StoredObject } from '../tree/objects/object-store.ts';
import { encodePack } from '../tree/objects/pack.ts';
import type { ChunkPack, ImageAsset, ImageManifest } from './image-manifest.ts';
import { type AssetFetcher, ImageSource } from './image-source.ts';

/** An image of one root and six chunks in three packs, and what was fetched of it. */
function image(options: { alter?: (digest: string, bytes: Uint8Array) => Uint8Array } = {}) {
  const files = new Map<string, Uint8Array>();
  const fetched: string[] = [];
  const store = (content: Uint8Array): ImageAsset => {
    const digest = hashObject(content);
    const stored = gzipSync(content);
    files.set(digest, options.alter?.(digest, stored) ?? stored);
    return { digest, sizeBytes: content.length, storedBytes: stored.length };
  };
  const root = storedObject(Uint8Array.of(5, 1));
  const chunks = [1, 2, 3, 4, 5, 6].map((byte) => storedObject(new Uint8Array(1000).fill(byte)));
  const packs = [chunks.slice(0, 2), chunks.slice(2, 4), chunks.slice(4)];
  const index = chunks.flatMap(({ id }) =>
    Array.from({ length: 8 }, (_, at) => Number.parseInt(id.slice(2 * at, 2 * at + 2), 16)),
  );
  const pack = (objects: readonly StoredObject[]) => encodePack(objects.map(({ bytes }) => bytes));
  const empty = store(new Uint8Array());
  const manifest: ImageManifest = {
    format: 1,
    name: 'demo',
    tree: root.id,
    memoryMiB: 64,
    hostname: 'demo',
    kernel: empty,
    initramfs: empty,
    bios: empty,
    vgaBios: empty,
    metadata: store(pack([root])),
    chunkIndex: store(Uint8Array.from(index)),
    chunkPacks: packs.map((objects): ChunkPack => ({ ...store(pack(objects)), chunks: objects.length })),
    golden: undefined,
    offLock: [],
  };
  const contentSync = ({ digest }: ImageAsset) => {
    fetched.push(digest);
    return gunzipSync(files.get(digest) ?? new Uint8Array());
  };
  const content = async (asset: ImageAsset) => new Uint8Array(contentSync(asset)).buffer;
  const fetcher: AssetFetcher = { contentSync, content };
  return { manifest, fetcher, fetched, root, chunks };
}

const corrupt = expect.objectContaining({ code: 'corrupt-object' });

describe('image sources (B-2)', () => {
  test('metadata is there at once, chunks come with their pack when they are read', async () => {
    const { manifest, fetcher, fetched, root, chunks } = image();
    const source = await ImageSource.open(manifest, fetcher);
    expect(fetched).toEqual([manifest.metadata.digest, manifest.chunkIndex.digest]);
    expect(source.read(root.id)).toEqual(root.bytes);
    fetched.length = 0;
    expect(chunks.map(({ id }) => source.has(id))).toEqual(Array(6).fill(true));
    expect(chunks.slice(2, 4).map(({ id }) => source.read(id))).toEqual(
      chunks.slice(2, 4).map(({ bytes }) => bytes),
    );
    expect(fetched).toEqual([manifest.chunkPacks[1]?.digest]);
  });

  test('the least recently used pack goes when the budget is spent', async () => {
    const { manifest, fetcher, fetched, chunks } = image();
    const source = await ImageSource.open(manifest, fetcher, { budgetBytes: 5000 });
    fetched.length = 0;
    const [a, , b, , c] = chunks.map(({ id }) => id);
    for (const id of [a, b, a, c, a, b]) if (id) source.read(id);
    const [first, second, third] = manifest.chunkPacks.map(({ digest }) => digest);
    expect(fetched).toEqual([first, second, third, second]);
  });

  test('prefetch tells its bytes and spares the synchronous fetch', async () => {
    const { manifest, fetcher, fetched, chunks } = image();
    const source = await ImageSource.open(manifest, fetcher);
    const seen: number[] = [];
    await source.prefetch(manifest.chunkPacks, { onProgress: (done, total) => seen.push(done / total) });
    expect(seen).toEqual([1 / 3, 2 / 3, 1]);
    fetched.length = 0;
    for (const { id } of chunks) source.read(id);
    expect(fetched).toEqual([]);
  });

  test('one who reads the packs in their order finds the next ones there; what is read here and there fetches none ahead', async () => {
    const { manifest, fetcher, fetched, chunks } = image();
    const blocking: string[] = [];
    const contentSync = (asset: ImageAsset) => {
      blocking.push(asset.digest);
      return fetcher.contentSync(asset);
    };
    const source = await ImageSource.open(manifest, { ...fetcher, contentSync });
    const [a, , b, , c] = chunks.map(({ id }) => id);
    const [first, second, third] = manifest.chunkPacks.map(({ digest }) => digest);
    const look = async (id: typeof a) => {
      if (id) source.read(id);
      await source.readAhead();
      await source.readAhead();
    };
    fetched.length = 0;
    await look(b);
    expect(fetched).toEqual([second]);
    for (const id of [a, b, c]) await look(id);
    expect(blocking).toEqual([second, first]);
    expect(fetched).toEqual([second, first, third]);
  });

  test('what cannot be fetched ahead fails when it is read', async () => {
    const { manifest, fetcher, chunks } = image();
    const content = (asset: ImageAsset) =>
      asset.digest === manifest.chunkPacks[2]?.digest
        ? Promise.reject(new Error('gone'))
        : fetcher.content(asset);
    const contentSync = (asset: ImageAsset) => {
      if (asset.digest === manifest.chunkPacks[2]?.digest) throw new Error('gone');
      return fetcher.contentSync(asset);
    };
    const source = await ImageSource.open(manifest, { content, contentSync });
    const [a, , b, , c] = chunks.map(({ id }) => id);
    for (const id of [a, b]) if (id) source.read(id);
    await source.readAhead();
    await source.readAhead();
    expect(() => c && source.read(c)).toThrow('gone');
  });

  test('an aborted prefetch stops', async () => {
    const { manifest, fetcher } = image();
    const source = await ImageSource.open(manifest, fetcher);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(source.prefetch(manifest.chunkPacks, { signal })).rejects.toThrow('enough');
  });

  test('an object that the image does not have is named', async () => {
    const { manifest, fetcher } = image();
    const source = await ImageSource.open(manifest, fetcher);
    const id = hashObject(Uint8Array.of(9));
    expect(() => source.read(id)).toThrow(
      expect.objectContaining({ code: 'missing-object', details: { id } }),
    );
  });

  test.each([
    ['fetched ahead', (pack: ChunkPack) => [pack]],
    ['fetched when it is read', () => []],
  ])('an altered pack, %s, does not pass: its chunks have other ids', async (_, ahead) => {
    const intact = image();
    const [target] = intact.manifest.chunkPacks;
    const [chunk] = intact.chunks;
    if (!target || !chunk) throw new RangeError('The image has no chunks');
    const forged = gzipSync(encodePack([new Uint8Array(1000).fill(7), new Uint8Array(1000).fill(8)]));
    const { manifest, fetcher } = image({
      alter: (digest, bytes) => (digest === target.digest ? forged : bytes),
    });
    const packs = manifest.chunkPacks.slice(0, 1).flatMap(ahead);
    const source = await ImageSource.open(manifest, fetcher, { packs });
    expect(() => source.read(chunk.id)).toThrow(corrupt);
  });

  test('an id that only begins like that of a chunk is not answered, before nor after the chunk is', async () => {
    const { manifest, fetcher, chunks } = image();
    const source = await ImageSource.open(manifest, fetcher);
    const [chunk] = chunks;
    if (!chunk) throw new RangeError('The image has no chunks');
    const alike = parseObjectId(`${chunk.id.slice(0, 16)}${'0'.repeat(48)}`);
    expect(() => source.read(alike)).toThrow(corrupt);
    expect(source.read(chunk.id)).toEqual(chunk.bytes);
    expect(() => source.read(alike)).toThrow(corrupt);
  });

  test.each([
    ['of another size', new Uint8Array(3)],
    ['that is empty', new Uint8Array()],
  ])('a pack %s is corrupt', async (_, content) => {
    const intact = image();
    const [target] = intact.manifest.chunkPacks;
    const { manifest, fetcher, chunks } = image({
      alter: (digest, stored) => (digest === target?.digest ? gzipSync(content) : stored),
    });
    const source = await ImageSource.open(manifest, fetcher);
    expect(() => chunks[0] && source.read(chunks[0].id)).toThrow(corrupt);
  });

  test.each([
    ['is not a pack', Uint8Array.of(1, 2, 3)],
    ['does not have the root', encodePack([Uint8Array.of(9)])],
  ])('metadata that %s is corrupt', async (_, content) => {
    const intact = image();
    const { digest } = intact.manifest.metadata;
    const { manifest, fetcher } = image({
      alter: (one, stored) => (one === digest ? gzipSync(content) : stored),
    });
    await expect(ImageSource.open(manifest, fetcher)).rejects.toThrow(corrupt);
  });

  test('packs that are asked for come with the metadata', async () => {
    const { manifest, fetcher, fetched, chunks } = image();
    const source = await ImageSource.open(manifest, fetcher, { packs: manifest.chunkPacks.slice(0, 1) });
    fetched.length = 0;
    expect(chunks.slice(0, 2).map(({ id }) => source.read(id))).toEqual(
      chunks.slice(0, 2).map(({ bytes }) => bytes),
    );
    expect(fetched).toEqual([]);
  });

  test('an index that does not list every chunk is corrupt', async () => {
    const { manifest, fetcher } = image();
    const altered = { ...manifest, chunkPacks: manifest.chunkPacks.slice(1) };
    await expect(ImageSource.open(altered, fetcher)).rejects.toThrow(corrupt);
  });
});
