import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeTree } from '../../test/tree/describe-tree.ts';
import { LiveTree } from '../live/live-tree.ts';
import { extractTar } from './extract-tar.ts';
import { writeTar } from './write-tar.ts';

const hasGnuTar = (() => {
  try {
    return execFileSync('tar', ['--version'], { encoding: 'utf8' }).includes('GNU tar');
  } catch {
    return false;
  }
})();

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-tar-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(!hasGnuTar)('tar against GNU tar (R-3; skipped where there is no GNU tar)', () => {
  test.each(['pax', 'gnu', 'ustar'])('reads what GNU tar writes in format %s', (format) => {
    const long = format === 'ustar' ? 'short' : 'long-'.repeat(30);
    mkdirSync(join(folder, 'in', long), { recursive: true });
    writeFileSync(join(folder, 'in', long, `${long}-file`), Buffer.alloc(70_000, 'x'), { mode: 0o640 });
    writeFileSync(join(folder, 'in', 'ü'), '', { mode: 0o600 });
    linkSync(join(folder, 'in', 'ü'), join(folder, 'in', 'z-again'));
    symlinkSync(`${long}/target`, join(folder, 'in', 'symlink'));
    execFileSync('mkfifo', ['-m', '600', join(folder, 'in', 'fifo')]);
    utimesSync(join(folder, 'in', 'ü'), 1, 1_234_567_890.5);
    const archive = execFileSync('tar', [
      '--format',
      format,
      '--owner=7',
      '--group=8',
      '-C',
      join(folder, 'in'),
      '-c',
      '.',
    ]);
    const tree = new LiveTree();
    extractTar(tree, [archive]);
    const seen = describeTree(tree).map(({ path, mode, uid, gid, nlink, content, target, file }) => {
      return { path, type: mode >> 12, uid, gid, nlink, size: content.split(':')[0], target, file };
    });
    const common = { uid: 7, gid: 8, target: '' };
    const directory = { ...common, type: 0o04, size: '0' };
    expect(seen).toEqual([
      { ...directory, path: '', nlink: 3, file: '' },
      { ...common, path: '/fifo', type: 0o01, nlink: 1, size: '0', file: '/fifo' },
      { ...directory, path: `/${long}`, nlink: 2, file: `/${long}` },
      {
        ...common,
        path: `/${long}/${long}-file`,
        type: 0o10,
        nlink: 1,
        size: '70000',
        file: `/${long}/${long}-file`,
      },
      {
        ...common,
        path: '/symlink',
        type: 0o12,
        nlink: 1,
        size: '0',
        target: `${long}/target`,
        file: '/symlink',
      },
      { ...common, path: '/z-again', type: 0o10, nlink: 2, size: '0', file: '/z-again' },
      { ...common, path: '/\xc3\xbc', type: 0o10, nlink: 2, size: '0', file: '/z-again' },
    ]);
    const old = tree.stat(tree.lookup(tree.root, 'z-again'));
    const expected = format === 'pax' ? [1_234_567_890, 500_000_000] : [1_234_567_890, 0];
    expect([old?.mtimeSeconds, old?.mtimeNanoseconds]).toEqual(expected);
  });

  test('GNU tar reads what we write', () => {
    const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 123_456_789 }) });
    const owner = { uid: 3_000_000, gid: 70_000 };
    const long = 'n'.repeat(200);
    const directory = tree.create(tree.root, 'directory', { mode: 0o041777, ...owner });
    const file = tree.create(directory, long, { mode: 0o104755, ...owner });
    tree.write(file, 0, new Uint8Array(1_000).fill(65));
    tree.link(file, tree.root, 'link');
    tree.create(tree.root, 'null', { mode: 0o020666, uid: 0, gid: 0, rdev: (1 << 8) | 3 });
    tree.create(tree.root, 'symlink', { mode: 0o120777, uid: 0, gid: 0, target: long });
    tree.setXattr(file, 'user.note', new Uint8Array([104, 105]));
    const input = Buffer.concat([...writeTar(tree)]);
    const options = { input, encoding: 'utf8', env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } } as const;
    const listing = execFileSync(
      'tar',
      ['-tv', '--full-time', '--numeric-owner', '--xattrs', '-f', '-'],
      options,
    );
    expect(listing.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'drwxr-xr-x 0/0 0 2023-11-14 22:13:20.123456789 ./',
      'drwxrwxrwt 3000000/70000 0 2023-11-14 22:13:20.123456789 directory/',
      `-rwsr-xr-x* 3000000/70000 1000 2023-11-14 22:13:20.123456789 directory/${long}`,
      `hrwsr-xr-x 3000000/70000 0 2023-11-14 22:13:20.123456789 link link to directory/${long}`,
      'crw-rw-rw- 0/0 1,3 2023-11-14 22:13:20.123456789 null',
      `lrwxrwxrwx 0/0 0 2023-11-14 22:13:20.123456789 symlink -> ${long}`,
      '',
    ]);
  });
});
