import { expect, test } from 'vitest';
import { decodeText, encodeText, joinEscapedBytes } from './text.ts';

test('No byte is lost on the way through text', () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => ((index * 7919) >> 3) & 0xff);
  expect(encodeText(decodeText(bytes))).toEqual(bytes);
});

test('What is UTF-8 is characters, and each byte that is not is one surrogate', () => {
  expect(decodeText(Uint8Array.of(0x61, 0xc3, 0xa9, 0xff, 0xf0, 0x9f, 0x98, 0x80, 0xc3))).toBe(
    'aé\udcff😀\udcc3',
  );
  expect(decodeText(Uint8Array.of(0xed, 0xa0, 0x80))).toBe('\udced\udca0\udc80');
  expect(encodeText('\ud800')).toEqual(Uint8Array.of(0xef, 0xbf, 0xbd));
});

test('Bytes that form a character when they are joined become it', () => {
  expect(joinEscapedBytes('\udcc3' + '\udca9')).toBe('é');
});
