import { gzipSync, zstdCompressSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { describe, expect, test } from 'vitest';
import { readDeb } from './read-deb.ts';

async function deb(
  entries: TarEntry[],
  options: { control?: TarEntry[]; suffix?: string } = {},
): Promise<Uint8Array> {
  const suffix = options.suffix ?? '.gz';
  const control = await packTar(options.control ?? [file('./control', 'Package: demo\nVersion: 1\n')]);
  const data = await packTar(entries);
  const compress =
    { '.gz': gzipSync, '.zst': zstdCompressSync, '': (bytes: Uint8Array) => bytes }[suffix] ?? gzipSync;
  const members: [string, Uint8Array][] = [
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', gzipSync(control)],
    [`data.tar${suffix}`, compress(data)],
  ];
  const parts = members.flatMap(([name, bytes]) => [
    Buffer.from(`${name.padEnd(16)}${''.padEnd(32, '0')}${String(bytes.length).padEnd(10)}\`\n`),
    bytes,
    Buffer.alloc(bytes.length % 2),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

function file(name: string, body: string, header: Partial<TarEntry['header']> = {}): TarEntry {
  const mtime = new Date(1_700_000_000_000);
  return { header: { name, size: body.length, type: 'file', mode: 0o644, mtime, ...header }, body };
}

const noBody = { size: 0 };

describe('Debian packages (O-11)', () => {
  test.each(['.gz', '.zst', ''])('reads files, directories and links from data.tar%s', async (suffix) => {
    const entries = [
      file('./usr/', '', { type: 'directory', mode: 0o755, ...noBody }),
      file('./usr/su', 'hi', { mode: 0o4755, uid: 0, gid: 42 }),
      file('./usr/ln', '', { type: 'symlink', linkname: '../su', ...noBody }),
      file('./usr/hard', '', { type: 'link', linkname: './usr/su', ...noBody }),
    ];
    const opened = await readDeb(await deb(entries, { suffix }));
    expect(opened.control).toBe('Package: demo\nVersion: 1\n');
    const listing = opened.entries.map((one) => [
      one.path,
      one.type,
      one.mode,
      one.gid,
      one.target,
      one.bytes.length,
    ]);
    expect(listing).toEqual([
      ['/usr', 'directory', 0o755, 0, '', 0],
      ['/usr/su', 'file', 0o4755, 42, '', 2],
      ['/usr/ln', 'symlink', 0o644, 0, '../su', 0],
      ['/usr/hard', 'hardlink', 0o644, 0, '/usr/su', 0],
    ]);
    expect(opened.entries.map(({ mtimeSeconds }) => mtimeSeconds)).toEqual(Array(4).fill(1_700_000_000));
  });

  test.each([
    ['a name that leaves the root', [file('./../etc/passwd', 'x')], {}, '"./../etc/passwd" leaves the root'],
    [
      'a hard link that leaves the root',
      [file('./a', '', { type: 'link', linkname: '../b', ...noBody })],
      {},
      'leaves the root',
    ],
    [
      'a device',
      [file('./dev/null', '', { type: 'character-device', ...noBody })],
      {},
      '"./dev/null" is a character-device',
    ],
    ['no control file', [], { control: [] }, 'it has no control file'],
    ['an unknown compression', [], { suffix: '.lzma' }, 'compressed as ".lzma"'],
  ])('refuses %s', async (_, entries, options, message) => {
    await expect(readDeb(await deb(entries, options))).rejects.toThrow(message);
  });

  test('refuses what is cut off anywhere', async () => {
    const whole = await deb([file('./a', 'some content')]);
    for (let length = 0; length < whole.length - 1; length += 7) {
      await expect(readDeb(whole.subarray(0, length))).rejects.toMatchObject({ code: 'corrupt-object' });
    }
  });
});
