import type { ByteString } from '../content/byte-string.ts';
import { readByteString, writeByteString } from '../content/byte-string.ts';

/** Keys and values of an extended header; values are bytes. */
export type PaxRecords = Map<ByteString, ByteString>;

/** Parses `length key=value\n` records. @throws RangeError on anything else */
export function parsePaxRecords(bytes: Uint8Array): PaxRecords {
  const records: PaxRecords = new Map();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = space < 0 || space - at > 8 ? '' : readByteString(bytes, at, space - at);
    const length = /^[1-9][0-9]*$/.test(digits) ? Number(digits) : 0;
    const end = at + length;
    const equals = bytes.indexOf(0x3d, space);
    const isWhole = end <= bytes.length && equals > space && equals < end && bytes[end - 1] === 0x0a;
    if (length === 0 || !isWhole) throw new RangeError('Cannot read tar: a pax record is malformed');
    const key = readByteString(bytes, space + 1, equals - space - 1);
    records.set(key, readByteString(bytes, equals + 1, end - equals - 2));
    at = end;
  }
  return records;
}

/** The records as bytes, in the map's order. */
export function encodePaxRecords(records: PaxRecords): Uint8Array {
  const lines = [...records].map(([key, value]) => paxRecord(key, value));
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.length, 0));
  let at = 0;
  for (const line of lines) at += writeByteString(line, bytes, at);
  return bytes;
}

/** A record's length counts its own digits. */
function paxRecord(key: ByteString, value: ByteString): ByteString {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

const xattrPrefix = 'SCHILY.xattr.';

/** The key of an extended attribute. A key ends at `=`, so GNU tar escapes that (xheader.c), and so do we. */
export function xattrKey(name: ByteString): ByteString {
  return xattrPrefix + name.replaceAll('%', '%25').replaceAll('=', '%3D');
}

/** The extended attribute that a key is for, if it is for one. */
export function xattrOfKey(key: ByteString): ByteString | undefined {
  if (!key.startsWith(xattrPrefix)) return undefined;
  return key.slice(xattrPrefix.length).replace(/%(?:25|3D)/g, (code) => (code === '%25' ? '%' : '='));
}

const seconds = /^(-?)([0-9]{1,15})(?:\.([0-9]*))?$/;

/** A decimal time as whole seconds, rounded down, and nanoseconds. @throws RangeError when it is none */
export function parsePaxTime(text: ByteString): { seconds: number; nanoseconds: number } {
  const match = seconds.exec(text);
  if (match === null) throw new RangeError('Cannot read tar: a pax time is malformed');
  const whole = Number(match[2]);
  const nanoseconds = Number((match[3] ?? '').padEnd(9, '0').slice(0, 9));
  if (match[1] !== '-') return { seconds: whole, nanoseconds };
  return nanoseconds === 0
    ? { seconds: 0 - whole, nanoseconds: 0 }
    : { seconds: -whole - 1, nanoseconds: 1_000_000_000 - nanoseconds };
}

/** A time as a decimal number. */
export function paxTime(time: { readonly seconds: number; readonly nanoseconds: number }): string {
  const isNegative = time.seconds < 0 && time.nanoseconds > 0;
  const whole = isNegative ? -time.seconds - 1 : Math.abs(time.seconds);
  const nanoseconds = isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds;
  const fraction = nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
  return `${time.seconds < 0 ? '-' : ''}${whole}${fraction}`;
}
