import { readFile } from 'node:fs/promises';
import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { deflateSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { historyLimits } from './limits.ts';
import { PieceReader } from './piece-reader.ts';
import { decodeBlocks, encodeBlocks } from './stream-blocks.ts';

const most = historyLimits.streamBlockBytes;

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

async function encode(parts: readonly Uint8Array[], deflates = true): Promise<Uint8Array[]> {
  const blocks: Uint8Array[] = [];
  for await (const block of encodeBlocks(each(parts), { deflates })) blocks.push(block);
  return blocks;
}

/** The first `count` blocks of a stream. */
async function decode(bytes: Uint8Array, count: number): Promise<Uint8Array[]> {
  const contents: Uint8Array[] = [];
  for await (const content of decodeBlocks(new PieceReader(each([bytes])))) {
    contents.push(content);
    if (contents.length === count) break;
  }
  return contents;
}

function block(stored: Uint8Array, { says, length }: { says?: number; length: number }): Uint8Array {
  const bytes = Buffer.alloc(8 + stored.length);
  bytes.writeUInt32LE(says ?? stored.length, 0);
  bytes.writeUInt32LE(length, 4);
  bytes.set(stored, 8);
  return bytes;
}

const lengths = (blocks: readonly Uint8Array[]) => blocks.map(({ length }) => length);

describe('blocks (SN-11)', () => {
  test('SN-11 what is cut comes back, deflated or not, in blocks that are full but the last', async () => {
    const part = fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: most * 2 }));
    const parts = fc.array(
      part.map((each) => (typeof each === 'number' ? new Uint8Array(each).fill(7) : each)),
    );
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (all, deflates) => {
        const content = Buffer.concat(all);
        const blocks = await encode(all, deflates);
        expect(blocks.length).toBe(Math.ceil(content.length / most));
        const decoded = blocks.length === 0 ? [] : await decode(Buffer.concat(blocks), blocks.length);
        expect(Buffer.compare(Buffer.concat(decoded), content)).toBe(0);
        expect(lengths(decoded.slice(0, -1))).toEqual(Array(Math.max(0, blocks.length - 1)).fill(most));
      }),
      { numRuns: 30 },
    );
  });

  test('SN-11 a block is deflated when that makes it shorter, and only when asked to', async () => {
    const [noise, text] = [sampleObject(1, most).bytes, Buffer.alloc(most, 'a line of text\n')];
    const blocks = await encode([noise, text, noise.subarray(0, 100), text.subarray(0, 100)]);
    expect(blocks[0]?.length).toBe(most + 8);
    expect(blocks[1]?.length).toBeLessThan(5_000);
    expect(blocks[2]?.length).toBeLessThan(8 + 100 + 60);
    expect(lengths(await encode([text, text], false))).toEqual([most + 8, most + 8]);
    expect((await encode([noise.subarray(0, 10)]))[0]?.length).toBe(18);
  });

  test('P-1 a short block is hardly longer than zlib makes it', async () => {
    const text = await readFile(new URL('../../LICENSE', import.meta.url));
    const [block = text] = await encode([text]);
    expect(block.length / deflateRawSync(text).length).toBeLessThan(1.05);
  });

  test('H-9 a block that inflates to anything but what it says is refused, however large it becomes', async () => {
    const million = deflateRawSync(Buffer.alloc(1_000_000), { finishFlush: constants.Z_FULL_FLUSH });
    const bomb = Buffer.concat(Array(200).fill(million));
    expect(bomb.length).toBeLessThan(most);
    const deflated = deflateSync(Buffer.alloc(1_000, 'text'));
    const refused: [Uint8Array, code?: string][] = [
      [block(bomb, { length: most })],
      [block(deflated, { length: 999 })],
      [block(deflated, { length: 1_001 })],
      [block(deflated.subarray(0, -1), { length: 1_000 })],
      [block(Buffer.alloc(10, 0xff), { length: 1_000 })],
      [block(deflated, { says: 0, length: 1_000 })],
      [block(Buffer.alloc(9), { length: 8 })],
      [block(Buffer.alloc(0), { length: 0 })],
      [block(deflated, { says: 1_000, length: 1_000 })],
      [block(deflated, { length: most + 1 }), 'limit-exceeded'],
    ];
    const before = process.memoryUsage().arrayBuffers;
    for (const [bytes, code = 'invalid-argument'] of refused) {
      await expect(decode(bytes, 1)).rejects.toMatchObject({ code });
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
    expect(lengths(await decode(block(deflated, { length: 1_000 }), 1))).toEqual([1_000]);
  });

  test('H-9 arbitrary bytes are blocks or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(300), async (bytes, length) => {
        const outcome = await decode(block(bytes, { length }), 1).then(
          ([content]) => content?.length,
          (error: { code?: string }) => error.code,
        );
        expect([length, 'invalid-argument']).toContain(outcome);
      }),
      { numRuns: 300 },
    );
  });
});
