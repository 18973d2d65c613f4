/**
 * A Linux file name, symlink target or xattr name: any bytes, one UTF-16 code unit (0–255) per
 * byte. Cheap as a map key, loses nothing, and for ASCII it is the text itself.
 */
export type ByteString = string;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Up to this length, a string is made from its character codes. */
const shortBytes = 64;
const nonAscii = /[^\0-\x7f]/;

/** The bytes of `length` starting at `offset`, as a byte string. */
export function readByteString(bytes: Uint8Array, offset: number, length: number): ByteString {
  // For a short name, a call of the decoder costs more than it saves; for long ASCII it is ten times as fast.
  if (length > shortBytes && isAscii(bytes, offset, offset + length))
    return decoder.decode(bytes.subarray(offset, offset + length));
  let text = '';
  for (let end = offset + length, at = offset; at < end; at += 4096) {
    text += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, Math.min(end, at + 4096)));
  }
  return text;
}

/** Writes `text` into `into` at `offset`; returns the number of bytes. */
export function writeByteString(text: ByteString, into: Uint8Array, offset: number): number {
  for (let index = 0; index < text.length; index++) into[offset + index] = text.charCodeAt(index);
  return text.length;
}

/** Unicode text (what a user types) to the byte string of its UTF-8. */
export function toByteString(text: string): ByteString {
  if (!nonAscii.test(text)) return text;
  const bytes = encoder.encode(text);
  return readByteString(bytes, 0, bytes.length);
}

/** A byte string to text for people; bytes that are not UTF-8 become U+FFFD. */
export function toDisplayText(name: ByteString): string {
  if (!nonAscii.test(name)) return name;
  const bytes = new Uint8Array(name.length);
  writeByteString(name, bytes, 0);
  return decoder.decode(bytes);
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if ((bytes[index] ?? 128) > 127) return false;
  return true;
}
