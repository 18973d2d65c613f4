import { expect, test } from 'vitest';
import { readOpenSandboxes } from './open-sandboxes.ts';

const stored = (value: string | null): Pick<Storage, 'getItem'> => ({ getItem: () => value });

test('B-3 the address names what to open, else what was open last', () => {
  expect(readOpenSandboxes('#s=a,b', stored('c'))).toEqual(['a', 'b']);
  expect(readOpenSandboxes('', stored('c,d'))).toEqual(['c', 'd']);
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
  expect([readOpenSandboxes('', refusing), readOpenSandboxes('#s=a', refusing)]).toEqual([[], ['a']]);
});
