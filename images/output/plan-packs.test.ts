import { expect, test } from 'vitest';
import { objectKinds } from '../../tree/content/kinds.ts';
import { hashObject, storedObject } from '../../tree/objects/hash-object.ts';
import { encodeChunkIndex, planPacks } from './plan-packs.ts';

const chunk = (byte: number) =>
  storedObject(new Uint8Array(200_000).fill(byte).fill(objectKinds.chunk, 0, 1));

test('what starting reads comes first, the rest in order in packs of half a megabyte (B-1)', () => {
  const chunks = [1, 2, 3, 4, 5, 6].map(chunk);
  const directory = storedObject(Uint8Array.of(objectKinds.directoryPage, 0));
  const [, second, , fourth] = chunks;
  const plan = planPacks(
    [...chunks, directory],
    new Set([second, fourth].flatMap((one) => (one ? [one.id] : []))),
  );
  const number = (packs: typeof plan.chunkPacks) => packs.map((pack) => pack.map(({ bytes }) => bytes[1]));
  expect(number(plan.chunkPacks)).toEqual([
    [2, 4],
    [1, 3],
    [5, 6],
  ]);
  expect(plan.metadata).toEqual([directory]);
  const prefixes = plan.chunkPacks.flat().map(({ id }) => id.slice(0, 16));
  expect(Buffer.from(encodeChunkIndex(plan.chunkPacks)).toString('hex')).toBe(prefixes.join(''));
});

test('without a boot set the first pack is empty, so that positions mean the same', () => {
  expect(
    planPacks([chunk(1)], new Set([hashObject(new Uint8Array())])).chunkPacks.map((pack) => pack.length),
  ).toEqual([0, 1]);
});

test('packs of a large image are larger, so that its manifest can name all of them', () => {
  const bytes = new Uint8Array(65_536);
  bytes[0] = objectKinds.chunk;
  const large = { ...chunk(1), bytes };
  const objects = Array.from({ length: 100_000 }, () => large);
  const { chunkPacks } = planPacks(objects, new Set());
  expect(chunkPacks.length).toBeLessThan(4_500);
});
