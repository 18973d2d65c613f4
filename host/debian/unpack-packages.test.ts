import { lstat, mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CacheFolder } from '../cache/cache-folder.ts';
import { cachePackage } from '../test/cache-package.ts';
import { tarFile } from '../test/make-deb.ts';
import { unpackPackages } from './unpack-packages.ts';

let cache: CacheFolder;
beforeEach(async () => {
  cache = new CacheFolder(await mkdtemp(join(tmpdir(), 'coppice-unpack-')));
});
afterEach(() => rm(cache.path, { recursive: true }));

test('unpacks programs to be run from a folder: executable, not set-uid, links stay below it (O-11)', async () => {
  const one = await cachePackage(cache, 'demo', [
    tarFile('./usr/bin/', '', { type: 'directory', mode: 0o755, size: 0 }),
    tarFile('./usr/bin/su', 'hi', { mode: 0o4555 }),
    tarFile('./usr/bin/hard', '', { type: 'link', linkname: './usr/bin/su', size: 0 }),
    tarFile('./usr/lib/near', '', { type: 'symlink', linkname: 'far', size: 0 }),
    tarFile('./usr/lib/far', '', { type: 'symlink', linkname: '/usr/bin/su', size: 0 }),
    tarFile('./usr/share/doc/demo', 'long'),
  ]);
  const root = cache.join('root');
  await unpackPackages([one], root, { cache, keeps: (path) => !path.startsWith('/usr/share/doc/') });
  const su = await lstat(join(root, 'usr/bin/su'));
  expect(su.mode & 0o7777).toBe(0o755);
  expect((await lstat(join(root, 'usr/bin/hard'))).ino).toBe(su.ino);
  expect(await readlink(join(root, 'usr/lib/near'))).toBe('far');
  expect(await readFile(join(root, 'usr/lib/near'), 'utf8')).toBe('hi');
  await expect(lstat(join(root, 'usr/share'))).rejects.toThrow('ENOENT');
});
