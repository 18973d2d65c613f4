import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CacheFolder } from '../../host/cache/cache-folder.ts';
import { createProgress } from '../../host/progress.ts';
import { tarFile } from '../../host/test/make-deb.ts';
import { imageFormats } from '../../protocol/image-manifest.ts';
import { verifyImage } from '../output/verify-image.ts';
import { provideImage } from '../provide-image.ts';
import type { ImageOrigin } from './image-origin.ts';
import { importImage } from './import-image.ts';

let folder: string;
let cache: CacheFolder;
let said: string;
const progress = createProgress({
  write: (text) => {
    said += text;
  },
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-import-'));
  cache = new CacheFolder(join(folder, 'cache'));
  said = '';
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The first bytes of a program for `machine`, which is all that is looked at. */
function elf(machine: number): Uint8Array {
  const header = Buffer.alloc(64);
  header.write('\x7fELF', 'latin1');
  header.writeUInt16LE(machine, 18);
  return header;
}

/** This host may have no xz. */
const compressByXz =
  'import lzma, sys; p = sys.argv[1]; open(p + ".xz", "wb").write(lzma.compress(open(p, "rb").read()))';

const program = (machine: number): TarEntry => ({
  header: { name: './bin/bash', size: 64, type: 'file', mode: 0o755, mtime: new Date(1e12) },
  body: elf(machine),
});
const files = (): TarEntry[] => [program(62), tarFile('./etc/motd', 'hello\n')];

async function archive(name: string, bytes: Uint8Array): Promise<Extract<ImageOrigin, { type: 'tarball' }>> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { type: 'tarball', from: path, sha256: undefined };
}

const importAs = (name: string, origin: ImageOrigin) => importImage({ name, origin }, { cache, progress });

describe('R-1 images of files of one’s own', () => {
  test('a tar archive becomes an image for hosts, whole, and is found by its name', async () => {
    const { manifest } = await importAs('mine', await archive('a.tar', await packTar(files())));
    expect(manifest).toMatchObject({ format: imageFormats.files, architecture: 'amd64', name: 'mine' });
    await progress.step('verify', (report) => verifyImage('mine', { cache, report }));
    const provided = await provideImage('mine', { cache, progress, golden: true });
    expect(provided.manifest).toEqual(manifest);
  });

  test('H-2 it is the same tree packed by gzip, zstd or xz, from a URL and from a folder', async () => {
    const tar = await packTar(files());
    const plain = await importAs('plain', await archive('a.tar', tar));
    const path = join(folder, 'a.tar');
    const root = join(folder, 'root');
    await mkdir(root);
    execFileSync('tar', ['--extract', '--same-owner', '--same-permissions', '-f', path, '-C', root]);
    execFileSync('tar', ['--create', '--sort=name', '--format=posix', '-f', path, '-C', root, '.']);
    execFileSync('python3', ['-c', compressByXz, path]);
    const server = createServer((_, answer) => answer.end(gzipSync(tar))).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
    try {
      const same = [
        await importAs('gzip', await archive('a.gz', gzipSync(tar))),
        await importAs('zstd', await archive('a.zst', zstdCompressSync(tar))),
        await importAs('url', { type: 'tarball', from: url, sha256: undefined }),
      ];
      expect(same.map(({ manifest }) => manifest.tree)).toEqual(same.map(() => plain.manifest.tree));
    } finally {
      server.close();
    }
    // These have the time and owner of the folder on top.
    const { manifest: ofXz } = await importAs('xz', {
      type: 'tarball',
      from: `${path}.xz`,
      sha256: undefined,
    });
    const { manifest: ofFolder } = await importAs('folder', { type: 'folder', path: root });
    expect(ofFolder.tree).toBe(ofXz.tree);
  });

  test('the cache that an image is put into is no part of it', async () => {
    const root = join(folder, 'whole');
    await mkdir(join(root, 'bin'), { recursive: true });
    await writeFile(join(root, 'bin/bash'), elf(62));
    const before = await importAs('before', { type: 'folder', path: root });
    cache = new CacheFolder(join(root, 'ca[ch]e'));
    await mkdir(cache.path);
    execFileSync('touch', ['--date=@1000000000', root]);
    const first = await importAs('first', { type: 'folder', path: root });
    const again = await importAs('again', { type: 'folder', path: root });
    expect(again.manifest.tree).toBe(first.manifest.tree);
    expect(before.manifest.tree).not.toBe(first.manifest.tree); // The time of the folder counts.
  });

  test('what is left out of a folder stays out: by path from it, by name anywhere, and as a place of this host', async () => {
    const whole = join(folder, 'whole');
    for (const path of ['bin', 'srv/node_modules/a', 'srv/keep', 'var/x/srv', 'other/deep'])
      await mkdir(join(whole, path), { recursive: true });
    await writeFile(join(whole, 'bin/bash'), elf(62));
    const fewer = join(folder, 'fewer');
    execFileSync('cp', ['-a', whole, fewer]);
    for (const path of ['srv/node_modules', 'var/x', 'other'])
      await rm(join(fewer, path), { recursive: true });
    for (const root of [whole, fewer])
      execFileSync('find', [root, '-exec', 'touch', '--date=@1000000000', '{}', '+']);
    const { manifest: wanted } = await importAs('wanted', { type: 'folder', path: fewer });
    const { manifest } = await importAs('chosen', {
      type: 'folder',
      path: whole,
      exclude: ['node_modules', '/var/*', '/srv/x', '/x'],
      without: [join(whole, 'other'), '/elsewhere'],
    });
    expect(manifest.tree).toBe(wanted.tree);
  });

  test('what it is for is what a program of it says; what it lacks is told', async () => {
    const busybox = { ...program(3), header: { ...program(3).header, name: './bin/busybox' } };
    const { manifest } = await importAs('small', await archive('a.tar', await packTar([busybox])));
    expect(manifest).toMatchObject({ architecture: 'i386' });
    expect(said).toContain('It has no /bin/bash');
  });

  const refused: [
    string,
    string,
    () => Promise<Uint8Array> | Uint8Array,
    { code: string; message: RegExp },
  ][] = [
    ['for other processors', 'arm', () => packTar([program(183)]), { code: 'unsupported', message: /183/ }],
    [
      'without programs',
      'none',
      () => packTar([tarFile('./a', 'a')]),
      { code: 'invalid-argument', message: /--architecture/ },
    ],
    [
      'that is none',
      'text',
      () => Buffer.alloc(2048, 'text'),
      { code: 'invalid-argument', message: /Cannot import/ },
    ],
    [
      'that is cut off',
      'cut',
      async () => (await packTar(files())).subarray(0, 700),
      { code: 'invalid-argument', message: /Cannot import/ },
    ],
    [
      'of which the packing is cut off',
      'gz',
      async () => gzipSync(await packTar(files())).subarray(0, 60),
      { code: 'invalid-argument', message: /Cannot import/ },
    ],
    [
      'that leaves its root',
      'up',
      () => packTar([tarFile('../a', 'a')]),
      { code: 'invalid-argument', message: /"\.\."/ },
    ],
    [
      'packed by bzip2',
      'bz',
      () => Buffer.from('BZh91AY&SY'),
      { code: 'invalid-argument', message: /use gzip/ },
    ],
    [
      'under the name of a profile',
      'debian',
      () => packTar(files()),
      { code: 'invalid-argument', message: /profile/ },
    ],
    ['under no name', '../up', () => packTar(files()), { code: 'invalid-argument', message: /name has/ }],
  ];
  test.each(refused)('an archive %s is refused, and leaves nothing', async (_what, name, bytes, error) => {
    await expect(importAs(name, await archive('a', await bytes()))).rejects.toMatchObject({
      code: error.code,
      message: expect.stringMatching(error.message),
    });
    expect(await cache.has(`images/${name}.json`)).toBe(false);
  });

  test('an archive with another SHA-256 than was asked for is refused', async () => {
    const bytes = await packTar(files());
    const good = createHash('sha256').update(bytes).digest('hex');
    const origin = await archive('a.tar', bytes);
    await importAs('good', { ...origin, sha256: good });
    const bad = importAs('bad', {
      ...origin,
      sha256: good.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    });
    await expect(bad).rejects.toMatchObject({ message: expect.stringContaining(`its SHA-256 is ${good}`) });
    expect(await cache.has('images/bad.json')).toBe(false);
  });

  test('a name that nobody has is told with those that there are', async () => {
    const missing = provideImage('nobody', { cache, progress, golden: true });
    await expect(missing).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('debian-amd64'),
    });
  });
});
