import { SandboxError } from '../../../protocol/errors.ts';
import { fromLatin1, toLatin1 } from '../latin1.ts';

const decoders: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  // As in Node, a byte order mark is part of the text.
  utf8: (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
  utf16le: (bytes) => new TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes),
  latin1: fromLatin1,
  ascii: (bytes) => fromLatin1(bytes.map((byte) => byte & 0x7f)),
  base64: (bytes) => btoa(fromLatin1(bytes)),
  base64url: (bytes) => btoa(fromLatin1(bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, ''),
  hex: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
};

const encoders: Readonly<Record<string, (text: string) => Uint8Array>> = {
  utf8: (text) => new TextEncoder().encode(text),
  utf16le: (text) => new Uint8Array(Uint16Array.from(text, (unit) => unit.charCodeAt(0)).buffer),
  latin1: toLatin1,
  ascii: toLatin1,
  base64: (text) => toLatin1(atob(text.replace(/-/g, '+').replace(/_/g, '/'))),
  base64url: (text) => toLatin1(atob(text.replace(/-/g, '+').replace(/_/g, '/'))),
  hex: (text) => Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (byte) => Number.parseInt(byte, 16)),
};

const otherNames: Readonly<Record<string, string>> = {
  'utf-8': 'utf8',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
  'utf-16le': 'utf16le',
  binary: 'latin1',
};

/** Bytes as text in an encoding of Node. @throws invalid-argument */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  return named(decoders, encoding)(bytes);
}

/** Text as bytes in an encoding of Node. @throws invalid-argument */
export function encodeText(text: string, encoding: string): Uint8Array {
  return named(encoders, encoding)(text);
}

function named<T>(all: Readonly<Record<string, T>>, encoding: string): T {
  const lower = encoding.toLowerCase();
  const name = Object.hasOwn(otherNames, lower) ? (otherNames[lower] ?? lower) : lower;
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(all).join(', ');
  throw new SandboxError(
    'invalid-argument',
    `Unknown encoding ${JSON.stringify(encoding)}: use one of ${known}`,
  );
}
