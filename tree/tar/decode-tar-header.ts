import type { ByteString } from '../content/byte-string.ts';
import { readByteString, toDisplayText, writeByteString } from '../content/byte-string.ts';
import { treeLimits } from '../limits.ts';
import type { PaxRecords } from './pax-records.ts';
import { parsePaxTime, xattrOfKey } from './pax-records.ts';
import type { TarEntry, TarType } from './tar-entry.ts';
import { tarTypes } from './tar-entry.ts';
import { readTarNumber } from './tar-numbers.ts';

/** A member, or an extended header of the next one: `x`, `g`, `L` or `K`. */
export type TarHeader =
  | { readonly type: 'entry'; readonly entry: TarEntry; readonly dataBytes: number }
  | { readonly type: 'extended'; readonly typeflag: string; readonly dataBytes: number };

/**
 * Decodes a 512-byte header; `records` are the pax records that apply to it.
 * @throws RangeError naming the member on a bad checksum, bad numbers, sparse files, unknown types
 */
export function decodeTarHeader(header: Uint8Array, records: PaxRecords): TarHeader {
  const stored = readTarNumber(header, 148, 8);
  let sum = 0;
  for (let at = 0; at < header.length; at++) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  if (stored !== sum) throw new RangeError('Cannot read tar: the checksum of a header is wrong');

  const path = records.get('path') ?? ustarPath(header);
  const number = (key: string, offset: number, length: number): number => {
    const text = records.get(key);
    const value = text === undefined ? readTarNumber(header, offset, length) : parseDecimal(text);
    if (value === undefined) throw refusal(path, `its ${key} is malformed`);
    return value;
  };
  const typeflag = String.fromCharCode(header[156] ?? 0);
  if ('xgLK'.includes(typeflag)) {
    const dataBytes = readTarNumber(header, 124, 12);
    if (dataBytes === undefined || dataBytes < 0) throw refusal(path, 'its size is malformed');
    return { type: 'extended', typeflag, dataBytes };
  }
  const type = typeOf(typeflag, path);
  if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.')))
    throw refusal(path, 'it is a sparse file');
  if (path === '') throw refusal(path, 'it has no path');
  if (path.length > treeLimits.pathBytes) {
    throw refusal(
      path,
      `its path of ${path.length} bytes is longer than Linux opens (${treeLimits.pathBytes})`,
    );
  }
  const size = number('size', 124, 12);
  if (size < 0) throw refusal(path, 'its size is malformed');
  // How writers marked directories before there was a type for them. Readers disagree about the content of such a member.
  const isDirectory = type === 'file' && path.endsWith('/');
  if (isDirectory && size > 0) throw refusal(path, 'it is a directory and has content');
  // Some writers give a hard link the size of its file; no data follows it.
  const sizeBytes = type === 'file' ? size : 0;
  const mtime = records.get('mtime');
  const time =
    mtime === undefined ? { seconds: number('mtime', 136, 12), nanoseconds: 0 } : parsePaxTime(mtime);
  const entry: TarEntry = {
    type: isDirectory ? 'directory' : type,
    path,
    permissions: number('mode', 100, 8) & 0o7777,
    uid: number('uid', 108, 8),
    gid: number('gid', 116, 8),
    mtimeSeconds: time.seconds,
    mtimeNanoseconds: time.nanoseconds,
    sizeBytes,
    linkPath: records.get('linkpath') ?? untilNul(header, 157, 100),
    major: readTarNumber(header, 329, 8) ?? 0,
    minor: readTarNumber(header, 337, 8) ?? 0,
    xattrs: xattrsOf(records),
  };
  return { type: 'entry', entry, dataBytes: sizeBytes };
}

function typeOf(typeflag: string, path: ByteString): TarType {
  if (typeflag === '\0' || typeflag === '7') return 'file';
  for (const [type, flag] of Object.entries(tarTypes)) if (flag === typeflag) return type as TarType;
  throw refusal(path, `its type "${typeflag}" is not supported`);
}

function ustarPath(header: Uint8Array): ByteString {
  const name = untilNul(header, 0, 100);
  // GNU's old format has times where ustar has the prefix; its magic ends in a space.
  const isUstar = readByteString(header, 257, 6) === 'ustar\0';
  const prefix = isUstar ? untilNul(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function xattrsOf(records: PaxRecords): ReadonlyMap<ByteString, Uint8Array> {
  const xattrs = new Map<ByteString, Uint8Array>();
  for (const [key, value] of records) {
    const name = xattrOfKey(key);
    if (name === undefined) continue;
    const bytes = new Uint8Array(value.length);
    writeByteString(value, bytes, 0);
    xattrs.set(name, bytes);
  }
  return xattrs;
}

function parseDecimal(text: ByteString): number | undefined {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

function untilNul(header: Uint8Array, offset: number, length: number): ByteString {
  const text = readByteString(header, offset, length);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function refusal(path: ByteString, why: string): RangeError {
  return new RangeError(`Cannot read tar member "${toDisplayText(path).slice(0, 200)}": ${why}`);
}
