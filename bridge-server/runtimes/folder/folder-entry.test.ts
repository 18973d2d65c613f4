import { expect, test } from 'vitest';
import { cannot } from './folder-entry.ts';

function told(what: string, code: string): string {
  return cannot(what, '/proc/self/fd/7/deep/file', Object.assign(new Error(code), { code })).message;
}

test('R-12 what the disk refuses is told with the path and with what helps', () => {
  expect(told('write', 'ENOSPC')).toMatch(
    /^Cannot write deep\/file: the disk is full\. Make room on it: until/,
  );
  expect(told('read', 'EACCES')).toMatch(/^Cannot read deep\/file: this user may not read it\. Give it/);
  expect(told('write', 'EPERM')).toMatch(/^Cannot write deep\/file: this user may not change it\. Give it/);
  expect(told('write', 'EXDEV')).toMatch(
    /^Cannot write deep\/file: it is in a subvolume, .* Remove that whole/,
  );
});
