import { expect, test } from 'vitest';
import { hasSharedFile, mapsShared } from './maps-shared.ts';

const line = (mode: string, path: string) =>
  `7fa8eccb3000-7fa8eccb6000 ${mode} 00000000 00:26 2222434                    ${path}`;

test.each([
  ['a file that is mapped to be written', line('rw-s', '/home/user/data.db'), true],
  ['one that was mapped to be written before', line('r--s', '/home/user/data.db (deleted)'), true],
  ['a private mapping', line('rw-p', '/usr/lib/libc.so.6'), false],
  ['memory that processes share', line('rw-s', '/memfd:pool (deleted)'), false],
  ['shared memory of System V', line('rw-s', '/SYSV00000000 (deleted)'), false],
  ['what lies in /dev/shm', line('rw-s', '/dev/shm/sem.x'), false],
  ['what has no file', '7ffd0bb4a000-7ffd0bb4c000 r-xp 00000000 00:00 0      [vdso]', false],
  ['the table that glibc maps to read', line('r--s', '/usr/lib/gconv/gconv-modules.cache'), false],
  ['that table, to be written', line('rw-s', '/usr/lib/gconv/gconv-modules.cache'), true],
  ['a file like a segment of System V', line('rw-s', '/SYSV-notes'), true],
])('H-6 of the mappings of a process, %s', (_, maps, isShared) => {
  expect(hasSharedFile(`${line('r-xp', '/bin/sh')}\n${maps}\n`)).toBe(isShared);
});

test('H-6 a process whose mappings nobody can read may have any', async () => {
  expect(await mapsShared([])).toBe(false);
  expect(await mapsShared([2 ** 30])).toBe(true);
});
