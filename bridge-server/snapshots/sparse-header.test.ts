import { describe, expect, test } from 'vitest';
import { parsePaxRecords } from '../../tree/tar/pax-records.ts';
import type { TarEntry } from '../../tree/tar/tar-entry.ts';
import { encodeSparseHeader, takeSparseMap } from './sparse-header.ts';

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
    expect(takeSparseMap(records, { maxRuns: 3 })).toEqual({ runs, sizeBytes: 2_000_000 });
    expect([...records]).toEqual([
      ['mtime', '3.000000004'],
      ['SCHILY.xattr.user.x', '\0\n'],
      ['path', 'a/sparse file'],
    ]);
  });

  test.each([
    ['a number is none', '0,x'],
    ['a pair is half', '0,512,1024'],
    ['there are too many runs', '0,1,2,1,4,1,6,1'],
  ])('B2-38: is refused when %s', (_, map) => {
    const records = new Map([
      ['GNU.sparse.map', map],
      ['GNU.sparse.size', '4096'],
    ]);
    expect(() => takeSparseMap(records, { maxRuns: 2 })).toThrow(RangeError);
  });
});
