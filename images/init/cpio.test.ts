import { expect, test } from 'vitest';
import { encodeCpio } from './cpio.ts';

test('writes the new ASCII format, padded to four bytes, with devices (I-1)', () => {
  const archive = encodeCpio([
    { path: 'dev/console', mode: 0o020600, device: { major: 5, minor: 1 } },
    { path: 'init', mode: 0o100755, bytes: Buffer.from('#!x') },
  ]);
  const fields = (...values: number[]) => values.map((value) => value.toString(16).padStart(8, '0')).join('');
  const expected = [
    `070701${fields(1, 0o020600, 0, 0, 1, 0, 0, 0, 0, 5, 1, 12, 0)}dev/console\0\0\0`,
    `070701${fields(2, 0o100755, 0, 0, 1, 0, 3, 0, 0, 0, 0, 5, 0)}init\0\0#!x\0`,
    `070701${fields(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 0)}TRAILER!!!\0\0\0\0`,
  ];
  expect(Buffer.from(archive).toString('latin1')).toBe(expected.join(''));
});
