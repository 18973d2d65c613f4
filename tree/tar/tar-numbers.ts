import { readByteString } from '../content/byte-string.ts';

/**
 * A number field of a tar header: octal digits with spaces or NULs about them, or base 256 when the
 * first bit is set (GNU). `undefined` when it is neither or not a safe integer.
 */
export function readTarNumber(header: Uint8Array, offset: number, length: number): number | undefined {
  const first = header[offset] ?? 0;
  if (first >= 128) return readBase256(header.subarray(offset, offset + length));
  const text = readByteString(header, offset, length)
    .replace(/^[ \0]*/, '')
    .replace(/[ \0]*$/, '');
  if (text === '') return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

function readBase256(bytes: Uint8Array): number | undefined {
  const isNegative = bytes[0] === 255;
  if (!isNegative && bytes[0] !== 128) return undefined;
  let value = 0;
  for (const byte of bytes.subarray(1)) {
    value = value * 256 + (isNegative ? 255 - byte : byte);
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
  }
  return isNegative ? -value - 1 : value;
}

/** Octal digits that fill `length` but for a NUL, or `undefined` when `value` does not fit. */
export function tarNumber(value: number, length: number): string | undefined {
  if (value < 0 || value >= 8 ** (length - 1)) return undefined;
  return `${value.toString(8).padStart(length - 1, '0')}\0`;
}
