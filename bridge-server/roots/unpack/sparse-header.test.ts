import { describe, expect, test } from 'vitest';
import { parsePaxRecords } from '../../../tree/tar/pax-records.ts';
import type { TarEntry } from '../../../tree/tar/tar-entry.ts';
import { encodeSparseHeader } from './sparse-header.ts';

const entry: TarEntry = {
  type: 'file',
  path: 'a/sparse file',
  permissions: 0o640,
  uid: 1,
  gid: 2,
  mtimeSeconds: 3,
  mtimeNanoseconds: 4,
  sizeBytes: 612,
  linkPath: '',
  major: 0,
  minor: 0,
  xattrs: new Map([['user.x', new Uint8Array([0, 10])]]),
};

describe('the header of a sparse member', () => {
  test('carries its map, its name and what else does not fit a header', () => {
    const runs = [
      { offset: 4_096, length: 512 },
      { offset: 1_000_000, length: 100 },
    ];
    const header = encodeSparseHeader(entry, { runs, sizeBytes: 2_000_000 });
    const bodyBytes = Number.parseInt(Buffer.from(header.subarray(124, 135)).toString('latin1'), 8);
    const records = parsePaxRecords(header.subarray(512, 512 + bodyBytes));
    expect(header.length % 512).toBe(0);
    expect(String.fromCharCode(header[156] ?? 0)).toBe('x');
    expect([...records]).toEqual([
      ['mtime', '3.000000004'],
      ['SCHILY.xattr.user.x', '\0\n'],
      ['GNU.sparse.size', '2000000'],
      ['GNU.sparse.numblocks', '3'],
      ['GNU.sparse.name', 'a/sparse file'],
      ['GNU.sparse.map', '4096,512,1000000,100,2000000,0'],
    ]);
  });
});
