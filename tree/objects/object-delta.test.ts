import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { decodeDelta, encodeDelta } from './object-delta.ts';

const maxBytes = 262_144;
const path = new URL('../../test/fixtures/object-streams.json', import.meta.url);
const golden = JSON.parse(readFileSync(path, 'utf8')) as {
  deltas: { about: string; base: string; delta: string; target: string }[];
};

/** Bytes as edits leave them: pieces of a few kinds, in any order. */
const edited = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat({ max: 90 }), fc.nat({ max: 300 })), {
    maxLength: 12,
  })
  .map((pieces) =>
    Buffer.concat(
      pieces.map(([seed, from, count]) => sampleObject(seed, 400).bytes.subarray(from, from + count)),
    ),
  );

function decode(base: string, delta: string): string {
  const decoded = decodeDelta(Buffer.from(base, 'hex'), Buffer.from(delta, 'hex'), { maxBytes });
  return Buffer.from(decoded).toString('hex');
}

describe('deltas (SN-12)', () => {
  test.each(golden.deltas)('SN-12 golden: $about', ({ base, delta, target }) => {
    expect(decode(base, delta)).toBe(target);
    const encoded = encodeDelta(Buffer.from(base, 'hex'), Buffer.from(target, 'hex'));
    expect(Buffer.from(encoded).toString('hex')).toBe(delta);
  });

  test('SN-12 what is made of the base is the object, and hardly longer than it', () => {
    fc.assert(
      fc.property(edited, edited, (base, target) => {
        const delta = encodeDelta(base, target);
        expect(Buffer.compare(decodeDelta(base, delta, { maxBytes }), target)).toBe(0);
        expect(delta.length).toBeLessThanOrEqual(target.length + 3);
      }),
    );
  });

  test('B-9 a few bytes of 32 KiB, altered, put in, taken out and moved, are a few bytes', () => {
    const base = sampleObject(1, 32_768).bytes;
    const target = Buffer.concat([
      base.subarray(20_000, 32_768),
      Buffer.from('put in'),
      base.subarray(0, 10_000),
      base.subarray(10_007, 20_000),
    ]);
    target[500] = (target[500] ?? 0) ^ 1;
    expect(encodeDelta(base, target).length).toBeLessThan(40);
  });

  test('H-9 one that makes too much, or copies what is not there, is refused', () => {
    // Nothing of its own, then copies of 100 bytes from the beginning, each after one byte of its own.
    const copies = Buffer.concat([Buffer.of(0, 100, 0), ...Array(99).fill(Buffer.of(1, 7, 100, 201, 1))]);
    const base = new Uint8Array(100);
    expect(decodeDelta(base, copies, { maxBytes: 10_099 }).length).toBe(10_099);
    expect(() => decodeDelta(base, copies, { maxBytes: 10_098 })).toThrow('a number is over');
    for (const bad of ['0001c801', '000101', '006500', '000000', '0001000001', '05aabb', '0001']) {
      expect(() => decode('00'.repeat(100), bad), bad).toThrow(RangeError);
    }
  });

  test('H-9 arbitrary bytes make an object within bounds or a RangeError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.uint8Array({ maxLength: 64 }), (base, delta) => {
        try {
          expect(decodeDelta(base, delta, { maxBytes: 1_000 }).length).toBeLessThanOrEqual(1_000);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
