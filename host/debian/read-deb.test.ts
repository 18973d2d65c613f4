import { describe, expect, test } from 'vitest';
import { tarFile as file, makeDeb } from '../test/make-deb.ts';
import { readDeb } from './read-deb.ts';

const noBody = { size: 0 };

describe('Debian packages (O-11)', () => {
  test.each(['.gz', '.zst', ''])('reads files, directories and links from data.tar%s', async (suffix) => {
    const entries = [
      file('./usr/', '', { type: 'directory', mode: 0o755, ...noBody }),
      file('./usr/su', 'hi', { mode: 0o4755, uid: 0, gid: 42 }),
      file('./usr/ln', '', { type: 'symlink', linkname: '../su', ...noBody }),
      file('./usr/hard', '', { type: 'link', linkname: './usr/su', ...noBody }),
    ];
    const opened = await readDeb(await makeDeb(entries, { suffix }));
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
    await expect(readDeb(await makeDeb(entries, options))).rejects.toThrow(message);
  });

  test('refuses what is cut off anywhere', async () => {
    const whole = await makeDeb([file('./a', 'some content')]);
    for (let length = 0; length < whole.length - 1; length += 7) {
      await expect(readDeb(whole.subarray(0, length))).rejects.toMatchObject({ code: 'corrupt-object' });
    }
  });
});
