import { SandboxError } from '../../../protocol/errors.ts';

const decoders: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  utf8: (bytes) => new TextDecoder().decode(bytes),
  utf16le: (bytes) => new TextDecoder('utf-16le').decode(bytes),
  latin1: (bytes) => fromCodes(bytes, 0xff),
  ascii: (bytes) => fromCodes(bytes, 0x7f),
  base64: (bytes) => btoa(fromCodes(bytes, 0xff)),
  base64url: (bytes) =>
    btoa(fromCodes(bytes, 0xff)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, ''),
  hex: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
};

const encoders: Readonly<Record<string, (text: string) => Uint8Array>> = {
  utf8: (text) => new TextEncoder().encode(text),
  utf16le: (text) => new Uint8Array(Uint16Array.from(text, (unit) => unit.charCodeAt(0)).buffer),
  latin1: (text) => toCodes(text),
  ascii: (text) => toCodes(text),
  base64: (text) => toCodes(atob(text.replace(/-/g, '+').replace(/_/g, '/'))),
  base64url: (text) => toCodes(atob(text.replace(/-/g, '+').replace(/_/g, '/'))),
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

function fromCodes(bytes: Uint8Array, mask: number): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192).map((byte) => byte & mask)));
  return parts.join('');
}

function toCodes(text: string): Uint8Array {
  return Uint8Array.from(text, (unit) => unit.charCodeAt(0));
}
