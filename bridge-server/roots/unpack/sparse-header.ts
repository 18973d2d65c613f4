import { writeByteString } from '../../../tree/content/byte-string.ts';
import { encodeTarHeader } from '../../../tree/tar/encode-tar-header.ts';
import { encodePaxRecords, type PaxRecords, parsePaxRecords } from '../../../tree/tar/pax-records.ts';
import { type TarEntry, tarBlockBytes } from '../../../tree/tar/tar-entry.ts';

/** Bytes of a sparse file that are not a hole. */
export interface SparseRun {
  offset: number;
  length: number;
}

/** Where the data of a sparse member goes; it follows the header without the holes. */
export interface SparseMap {
  readonly runs: readonly SparseRun[];
  /** With the holes. */
  readonly sizeBytes: number;
}

const sparsePrefix = 'GNU.sparse.';

/**
 * The header of a sparse member in pax format 0.1 (GNU tar manual, "PAX Format, Version 0.1"), the
 * one whose map is in the header. `entry.sizeBytes` counts the data only.
 */
export function encodeSparseHeader(entry: TarEntry, map: SparseMap): Uint8Array {
  // A name for tars that do not know the format, as long ones go into a record of their own.
  const plain = encodeTarHeader({ ...entry, path: 'sparse' });
  const records: PaxRecords =
    plain.length === tarBlockBytes ? new Map() : parsePaxRecords(withoutPadding(plain));
  // One more run at the end tells the size, or the file would end with its data.
  const runs = [...map.runs, { offset: map.sizeBytes, length: 0 }];
  records.set(`${sparsePrefix}size`, String(map.sizeBytes));
  records.set(`${sparsePrefix}numblocks`, String(runs.length));
  records.set(`${sparsePrefix}name`, entry.path);
  records.set(`${sparsePrefix}map`, runs.map((run) => `${run.offset},${run.length}`).join(','));
  const body = encodePaxRecords(records);
  const extended = encodeTarHeader({ ...entry, path: 'PaxHeader', sizeBytes: body.length, ...plainTimes });
  setTypeflag(extended, 'x');
  const padded = Math.ceil(body.length / tarBlockBytes) * tarBlockBytes;
  const bytes = new Uint8Array(tarBlockBytes + padded + tarBlockBytes);
  bytes.set(extended);
  bytes.set(body, tarBlockBytes);
  bytes.set(plain.subarray(-tarBlockBytes), tarBlockBytes + padded);
  return bytes;
}

const plainTimes = {
  uid: 0,
  gid: 0,
  mtimeSeconds: 0,
  mtimeNanoseconds: 0,
  xattrs: new Map(),
  linkPath: '',
} as const;

function withoutPadding(header: Uint8Array): Uint8Array {
  // A pax record ends in a newline, so every NUL at the end is padding.
  let end = header.length - tarBlockBytes;
  while (header[end - 1] === 0) end -= 1;
  return header.subarray(tarBlockBytes, end);
}

function setTypeflag(header: Uint8Array, typeflag: string): void {
  header[156] = typeflag.charCodeAt(0);
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  writeByteString(`${sum.toString(8).padStart(6, '0')}\0 `, header, 148);
}
