import { describe, expect, test } from 'vitest';
import { parseObjectId } from '../tree/content/object-id.ts';
import { ChunkIndex } from './chunk-index.ts';
import type { ChunkPack } from './image-manifest.ts';

const asset = { digest: 'd'.repeat(64), sizeBytes: 10, storedBytes: 5 };
const packs: ChunkPack[] = [2, 0, 3].map((chunks) => ({ ...asset, chunks }));
/** Two share their first four bytes, and all their lowest bits: they meet in one slot. */
const prefixes = [
  '0000000100000001',
  '0000000100000002',
  'ffff000100000001',
  'abcd000100000001',
  '0000000100000001',
];
const bytes = Uint8Array.from(
  prefixes.flatMap((prefix) => [...prefix.matchAll(/../g)].map(([pair]) => Number.parseInt(pair, 16))),
);
const id = (prefix: string) => parseObjectId(prefix.padEnd(64, '7'));

describe('chunk indexes (B-2)', () => {
  test('a chunk is found in its pack by the start of its id, the first of two that start alike', () => {
    const index = new ChunkIndex(bytes, packs);
    const [first, , last] = packs;
    expect(prefixes.map((prefix) => index.find(id(prefix)))).toEqual([
      { pack: first, place: 0 },
      { pack: first, place: 1 },
      { pack: last, place: 0 },
      { pack: last, place: 1 },
      { pack: first, place: 0 },
    ]);
  });

  test('an id that is not listed is not found', () => {
    const index = new ChunkIndex(bytes, packs);
    const others = ['0000000100000003', '0000000200000001', 'ffffffffffffffff'].map(id);
    expect(others.map((other) => [index.has(other), index.find(other)])).toEqual(
      Array(3).fill([false, undefined]),
    );
    expect(new ChunkIndex(new Uint8Array(), []).find(id('00'))).toBeUndefined();
  });

  test('an index of another length is refused', () => {
    expect(() => new ChunkIndex(bytes.subarray(8), packs)).toThrow('it does not list 5 chunks');
  });
});
