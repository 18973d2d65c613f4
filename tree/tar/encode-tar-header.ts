import type { ByteString } from '../content/byte-string.ts';
import { readByteString, writeByteString } from '../content/byte-string.ts';
import type { PaxRecords } from './pax-records.ts';
import { encodePaxRecords, paxTime, xattrKey } from './pax-records.ts';
import type { TarEntry } from './tar-entry.ts';
import { tarBlockBytes, tarTypes } from './tar-entry.ts';
import { tarNumber } from './tar-numbers.ts';

const nameBytes = 100;
const strictDecoder = new TextDecoder('utf-8', { fatal: true });

/** The header of a member, with a pax header before it for whatever ustar cannot say. */
export function encodeTarHeader(entry: TarEntry): Uint8Array {
  const records = paxRecordsFor(entry);
  const header = ustarHeader(entry, tarTypes[entry.type]);
  if (records.size === 0) return header;
  const body = encodePaxRecords(records);
  const extended = ustarHeader({ ...plainEntry, path: 'PaxHeader', sizeBytes: body.length }, 'x');
  const padded = Math.ceil(body.length / tarBlockBytes) * tarBlockBytes;
  const bytes = new Uint8Array(tarBlockBytes + padded + tarBlockBytes);
  bytes.set(extended);
  bytes.set(body, tarBlockBytes);
  bytes.set(header, tarBlockBytes + padded);
  return bytes;
}

const plainEntry: TarEntry = {
  type: 'file',
  path: '',
  permissions: 0o644,
  uid: 0,
  gid: 0,
  mtimeSeconds: 0,
  mtimeNanoseconds: 0,
  sizeBytes: 0,
  linkPath: '',
  major: 0,
  minor: 0,
  xattrs: new Map(),
};

function paxRecordsFor(entry: TarEntry): PaxRecords {
  const records: PaxRecords = new Map();
  if (entry.path.length > nameBytes) records.set('path', entry.path);
  if (entry.linkPath.length > nameBytes) records.set('linkpath', entry.linkPath);
  // pax values are UTF-8 unless this says otherwise.
  if ([...records.values()].some((value) => !isUtf8(value))) {
    const texts = [...records];
    records.clear();
    records.set('hdrcharset', 'BINARY');
    for (const [key, value] of texts) records.set(key, value);
  }
  if (tarNumber(entry.sizeBytes, 12) === undefined) records.set('size', String(entry.sizeBytes));
  if (tarNumber(entry.uid, 8) === undefined) records.set('uid', String(entry.uid));
  if (tarNumber(entry.gid, 8) === undefined) records.set('gid', String(entry.gid));
  const { mtimeSeconds: seconds, mtimeNanoseconds: nanoseconds } = entry;
  if (nanoseconds !== 0 || tarNumber(seconds, 12) === undefined) {
    records.set('mtime', paxTime({ seconds, nanoseconds }));
  }
  for (const name of [...entry.xattrs.keys()].sort()) {
    const value = entry.xattrs.get(name) ?? new Uint8Array(0);
    records.set(xattrKey(name), readByteString(value, 0, value.length));
  }
  return records;
}

function ustarHeader(entry: TarEntry, typeflag: string): Uint8Array {
  const header = new Uint8Array(tarBlockBytes);
  const number = (value: number, offset: number, length: number): void => {
    // What does not fit is in the pax header, which overrides this field.
    writeByteString(tarNumber(value, length) ?? tarNumber(0, length) ?? '', header, offset);
  };
  writeByteString(entry.path.slice(0, nameBytes), header, 0);
  number(entry.permissions, 100, 8);
  number(entry.uid, 108, 8);
  number(entry.gid, 116, 8);
  number(entry.sizeBytes, 124, 12);
  number(entry.mtimeSeconds, 136, 12);
  writeByteString('        ', header, 148);
  writeByteString(typeflag, header, 156);
  writeByteString(entry.linkPath.slice(0, nameBytes), header, 157);
  writeByteString('ustar\x0000', header, 257);
  number(entry.major, 329, 8);
  number(entry.minor, 337, 8);
  let sum = 0;
  for (let at = 0; at < header.length; at++) sum += header[at] ?? 0;
  writeByteString(`${sum.toString(8).padStart(6, '0')}\0 `, header, 148);
  return header;
}

function isUtf8(text: ByteString): boolean {
  const bytes = new Uint8Array(text.length);
  writeByteString(text, bytes, 0);
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
