import { expect, test } from 'vitest';
import { encodeLinkerCache } from './linker-cache.ts';

test('the linker cache has the layout that ld.so searches (O-11)', () => {
  const paths = ['libz.so.1', 'libc.so.6', 'libm.so.10', 'libm.so.9'].map(
    (name) => [name, `/usr/lib/${name}`] as const,
  );
  const cache = Buffer.from(encodeLinkerCache(new Map(paths), { flags: 0x0303 }));
  const text = (at: number) => cache.toString('latin1', at, cache.indexOf(0, at));
  const count = cache.readUInt32LE(20);
  const entries = Array.from({ length: count }, (_, index) => {
    const at = 48 + 24 * index;
    return [cache.readUInt32LE(at), text(cache.readUInt32LE(at + 4)), text(cache.readUInt32LE(at + 8))];
  });
  expect(cache.toString('latin1', 0, 20)).toBe('glibc-ld.so.cache1.1');
  expect(cache.readUInt32LE(24)).toBe(cache.length - 48 - 24 * count);
  // Descending, numbers by value: the order of the linker's binary search.
  expect(entries).toEqual([
    [0x0303, 'libz.so.1', '/usr/lib/libz.so.1'],
    [0x0303, 'libm.so.10', '/usr/lib/libm.so.10'],
    [0x0303, 'libm.so.9', '/usr/lib/libm.so.9'],
    [0x0303, 'libc.so.6', '/usr/lib/libc.so.6'],
  ]);
});
