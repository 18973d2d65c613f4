/**
 * The shell's strings are text. A byte that is not part of UTF-8 is one lone surrogate, U+DC80 to U+DCFF, so that no
 * byte is lost on the way through a variable (Python's `surrogateescape`, PEP 383).
 */
export type ShellText = string;

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Text of bytes. Loses nothing: `encodeText` answers the same bytes. */
export function decodeText(bytes: Uint8Array): ShellText {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return decodeLenient(bytes);
  }
}

/** The bytes of text. A surrogate that stands for no byte becomes U+FFFD. */
export function encodeText(text: ShellText): Uint8Array<ArrayBuffer> {
  return text.isWellFormed() ? encoder.encode(text) : encodeSurrogates(text);
}

/** The byte that a character stands for where it is not part of UTF-8. */
export function escapedByte(codePoint: number): number | undefined {
  return codePoint >= 0xdc80 && codePoint <= 0xdcff ? codePoint - 0xdc00 : undefined;
}

/** Text whose escaped bytes form UTF-8 by now, since pieces of it were joined, as the characters that they are. */
export function joinEscapedBytes(text: ShellText): ShellText {
  return text.isWellFormed() ? text : decodeText(encodeText(text));
}

const unitsAtOnce = 8192;

function decodeLenient(bytes: Uint8Array): ShellText {
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      units[count++] = 0xdc00 + byteAt(bytes, at);
      at += 1;
      continue;
    }
    const codePoint = codePointAt(bytes, at, length);
    if (codePoint > 0xffff) {
      units[count++] = 0xd7c0 + (codePoint >> 10);
      units[count++] = 0xdc00 + (codePoint & 0x3ff);
    } else {
      units[count++] = codePoint;
    }
    at += length;
  }
  const pieces: string[] = [];
  for (let at = 0; at < count; at += unitsAtOnce) {
    pieces.push(String.fromCharCode(...units.subarray(at, Math.min(count, at + unitsAtOnce))));
  }
  return pieces.join('');
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** Bytes of the UTF-8 sequence at `at` (RFC 3629), 0 where there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = byteAt(bytes, at);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  const second = byteAt(bytes, at + 1);
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let next = 2; next < length; next++) {
    if ((byteAt(bytes, at + next) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

function codePointAt(bytes: Uint8Array, at: number, length: number): number {
  const first = byteAt(bytes, at);
  if (length === 1) return first;
  let codePoint = first & (0x7f >> length);
  for (let next = 1; next < length; next++) codePoint = (codePoint << 6) | (byteAt(bytes, at + next) & 0x3f);
  return codePoint;
}

function encodeSurrogates(text: ShellText): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 3);
  let count = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint > 0xffff) {
      at += 1;
      continue;
    }
    const byte = escapedByte(codePoint);
    if (byte === undefined) continue;
    count += encoder.encodeInto(text.slice(from, at), bytes.subarray(count)).written;
    bytes[count++] = byte;
    from = at + 1;
  }
  count += encoder.encodeInto(text.slice(from), bytes.subarray(count)).written;
  return bytes.slice(0, count);
}
