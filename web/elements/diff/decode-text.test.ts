import { expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { decodeText } from './decode-text.ts';

test('text is text, with its byte order mark', () => {
  expect(decodeText(new TextEncoder().encode('\ufeffgrüß\n'))).toEqual({
    type: 'text',
    text: '\ufeffgrüß\n',
  });
});

test('a NUL or what is no UTF-8 makes a file binary', () => {
  expect(decodeText(Uint8Array.of(65, 0, 66))).toEqual({ type: 'binary', sizeBytes: 3 });
  expect(decodeText(Uint8Array.of(0xff, 0xfe, 65))).toEqual({ type: 'binary', sizeBytes: 3 });
});

test('past the limit a file is too large, whatever it holds', () => {
  const sizeBytes = limits.textDiffBytes + 1;
  expect(decodeText(new Uint8Array(sizeBytes).fill(65))).toEqual({ type: 'too-large', sizeBytes });
});
