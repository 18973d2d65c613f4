import { expect, test } from 'vitest';
import { decodeBytes, encodeText } from './text-encodings.ts';

test('C-7 text is what Node makes of the bytes in each encoding, with a byte order mark, and back', () => {
  const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xfe, 0xff);
  for (const encoding of [
    'utf8',
    'utf16le',
    'ucs2',
    'latin1',
    'ascii',
    'base64',
    'base64url',
    'hex',
  ] as const)
    expect([encoding, decodeBytes(bytes, encoding)]).toEqual([
      encoding,
      Buffer.from(bytes).toString(encoding),
    ]);
  const text = '\ufeffü';
  for (const encoding of ['utf8', 'UTF-8', 'utf16le', 'base64'] as const) {
    const source = encoding === 'base64' ? '/v8=' : text;
    expect(decodeBytes(encodeText(source, encoding), encoding)).toBe(source);
  }
  expect(() => decodeBytes(bytes, 'constructor')).toThrow('Unknown encoding');
});
