import { describe, expect, test } from 'vitest';
import { xxh32 } from './xxh32.ts';

const encode = (text: string) => new TextEncoder().encode(text);

describe('xxh32', () => {
  // Published vectors of the reference implementation.
  test.each([
    ['', 0, 0x02cc5d05],
    ['a', 0, 0x550d7456],
    ['abc', 0, 0x32d153ff],
    ['Nobody inspects the spammish repetition', 0, 0xe2293b2f],
    ['', 0x9e3779b1, 0x36b78ae7],
  ])('hashes %j with seed %d as the reference does', (text, seed, hash) => {
    expect(xxh32(encode(text), seed)).toBe(hash);
  });

  test('does not depend on where the bytes lie in memory', () => {
    const text = 'x'.repeat(1_003);
    const shifted = new Uint8Array(1_004);
    shifted.set(encode(text), 1);
    expect(xxh32(shifted.subarray(1))).toBe(xxh32(encode(text)));
  });
});
