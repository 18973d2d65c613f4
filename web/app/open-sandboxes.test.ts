import { expect, test } from 'vitest';
import { formatList, readOpenSandboxes } from './open-sandboxes.ts';

const stored = (value: string | null): Pick<Storage, 'getItem'> => ({ getItem: () => value });

test('B-3 the address names what to open, else what was open last', () => {
  expect(readOpenSandboxes('#s=a,b', stored('c'))).toEqual([{ id: 'a' }, { id: 'b' }]);
  expect(readOpenSandboxes('', stored('c,d'))).toEqual([{ id: 'c' }, { id: 'd' }]);
  expect(readOpenSandboxes('', stored(null))).toEqual([]);
});

test('an address that names too many is cut, and refused storage is no storage', () => {
  expect(readOpenSandboxes(`#s=${Array.from({ length: 50 }, (_, index) => index)}`, stored('')).length).toBe(
    8,
  );
  const refusing = {
    getItem: (): never => {
      throw new DOMException('denied', 'SecurityError');
    },
  };
  expect([readOpenSandboxes('', refusing), readOpenSandboxes('#s=a', refusing)]).toEqual([[], [{ id: 'a' }]]);
});

test('B-9 a sandbox of a host stands with the address of its bridge, whatever is in that', () => {
  const open = [
    { id: 'a' },
    { id: 'b', host: 'http://127.0.0.1:7070' },
    { id: 'c', host: 'https://[::1]/of,two%2Cparts' },
  ];
  const list = formatList(open);
  expect(list.startsWith('a,b@http://127.0.0.1:7070,c@')).toBe(true);
  expect(readOpenSandboxes(`#s=${list}`, stored(null))).toEqual(open);
  // Written by hand.
  expect(readOpenSandboxes('#s=b@%,@', stored(null))).toEqual([
    { id: 'b', host: '%' },
    { id: '', host: '' },
  ]);
});
