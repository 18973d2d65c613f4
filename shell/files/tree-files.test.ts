import { beforeEach, describe, expect, test } from 'vitest';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { ShellError } from '../shell-error.ts';
import { decodeText, encodeText } from '../text.ts';
import { absolutePath, TreeFiles } from './tree-files.ts';

const user = { uid: 1000, gid: 1000, umask: 0o22 };
let files: TreeFiles;

function codeOf(action: () => unknown): string {
  try {
    action();
    return 'ok';
  } catch (error) {
    if (error instanceof ShellError) return error.code;
    throw error;
  }
}

beforeEach(() => {
  files = new TreeFiles(new LiveTree());
  files.mkdir('/w', user);
  files.writeFile('/w/a', encodeText('hello\n'), user);
  files.mkdir('/w/d', user);
  files.symlink('loop', '/w/loop', user);
});

test.each([
  // A link that is the working directory is looked at as the directory.
  ['.', '/w/'],
  ['./', '/w/'],
  ['a/', '/w/a/'],
  ['/a/./b', '/a/b'],
  ['//a//b', '/a/b'],
  ['..', '/w/..'],
  ['../x', '/w/../x'],
  ['', ''],
  ['/', '/'],
  ['a/.', '/w/a/'],
])('%j against /w is %j', (path, absolute) => {
  expect(absolutePath('/w', path)).toBe(absolute);
});

describe('errors are those of Linux', () => {
  test.each([
    ['stat of nothing', () => files.stat('/w/nope'), 'ENOENT'],
    ['an empty path', () => files.stat(''), 'ENOENT'],
    ['a file with a slash', () => files.stat('/w/a/'), 'ENOTDIR'],
    ['below a file', () => files.stat('/w/a/b'), 'ENOTDIR'],
    ['mkdir of what is there', () => files.mkdir('/w/d', user), 'EEXIST'],
    ['mkdir with a slash', () => files.mkdir('/w/new/', user), 'ok'],
    ['making a file with a slash', () => files.writeFile('/w/new/', encodeText(''), user), 'EISDIR'],
    ['writing a directory', () => files.writeFile('/w/d', encodeText(''), user), 'EISDIR'],
    ['rmdir of a file', () => files.rmdir('/w/a'), 'ENOTDIR'],
    ['rmdir of what is not empty', () => files.rmdir('/w'), 'ENOTEMPTY'],
    ['unlink of a directory', () => files.unlink('/w/d'), 'EISDIR'],
    ['unlink of a file with a slash', () => files.unlink('/w/a/'), 'ENOTDIR'],
    ['rename of a file to a name with a slash', () => files.rename('/w/a', '/w/b/'), 'ENOTDIR'],
    ['rename of a directory into itself', () => files.rename('/w/d', '/w/d/e'), 'EINVAL'],
    ['a symlink to itself', () => files.stat('/w/loop'), 'ELOOP'],
    ['readlink of a file', () => files.readlink('/w/a'), 'EINVAL'],
    ['a hard link of a directory', () => files.link('/w/d', '/w/e'), 'EPERM'],
    ['open for reading of nothing', () => files.open('/w/x', { read: true }, user), 'ENOENT'],
    [
      'an exclusive open',
      () => files.open('/w/a', { write: true, create: true, exclusive: true }, user),
      'EEXIST',
    ],
  ])('%s', (_, action, code) => {
    expect(codeOf(action)).toBe(code);
  });
});

test('a file whose last name is removed goes on while it is open', async () => {
  const file = files.open('/w/a', { read: true, write: true }, user);
  files.unlink('/w/a');
  expect(decodeText(await file.read(100))).toBe('hello\n');
  await file.write(encodeText('more'));
  file.release();
  expect(files.tree.unlinked()).toEqual([]);
});

test('bytes that were read can be put back', async () => {
  const file = files.open('/w/a', { read: true }, user);
  const bytes = await file.read(4);
  file.unread(bytes.subarray(2));
  expect(decodeText(await file.read(100))).toBe('llo\n');
});

test('appending goes to the end wherever others have written', async () => {
  const [one, other] = [1, 2].map(() => files.open('/w/log', { append: true, create: true }, user));
  await one?.write(encodeText('1\n'));
  await other?.write(encodeText('2\n'));
  await one?.write(encodeText('3\n'));
  expect(decodeText(files.readFile('/w/log'))).toBe('1\n2\n3\n');
});

test('a file is made where a dangling link leads', () => {
  files.symlink('d/new', '/w/link', user);
  files.writeFile('/w/link', encodeText('x'), user);
  expect(files.realpath('/w/link')).toBe('/w/d/new');
});

test('what is made in a directory with set-group-id gets its group', () => {
  files.chown('/w/d', { gid: 50 });
  files.chmod('/w/d', 0o2775);
  files.mkdir('/w/d/sub', user);
  files.writeFile('/w/d/file', encodeText(''), user);
  expect(files.stat('/w/d/sub').gid).toBe(50);
  expect(files.stat('/w/d/sub').mode & 0o7777).toBe(0o2755);
  expect(files.stat('/w/d/file').gid).toBe(50);
});

test('names that are not UTF-8 come back as they were', () => {
  const name = decodeText(Uint8Array.of(0x61, 0xff, 0x62));
  files.writeFile(`/w/${name}`, encodeText('x'), user);
  expect(files.readdir('/w')).toContain(name);
  expect(decodeText(files.readFile(`/w/${name}`))).toBe('x');
});

describe('devices', () => {
  test('are there in a tree that has no /dev', async () => {
    const open = (name: string) => files.open(`/dev/${name}`, { read: true, write: true }, user);
    await open('null').write(encodeText('gone'));
    expect(await open('null').read(10)).toHaveLength(0);
    expect(await open('zero').read(3)).toEqual(new Uint8Array(3));
    expect(await open('urandom').read(16)).toHaveLength(16);
    await expect(open('full').write(encodeText('x'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(files.readdir('/dev')).toContain('null');
  });

  test('are found through links', async () => {
    files.symlink('/dev/null', '/w/nothing', user);
    files.writeFile('/w/nothing', encodeText('x'), user);
    expect(files.exists('/dev')).toBe(true);
    expect(files.stat('/w/nothing').rdev).toBe(0x103);
  });
});

test('truncating an empty file moves its time', () => {
  files.writeFile('/w/empty', encodeText(''), user);
  files.utimes('/w/empty', { mtime: { seconds: 1, nanoseconds: 0 } });
  files.open('/w/empty', { write: true, create: true, truncate: true }, user).release();
  expect(files.stat('/w/empty').mtimeSeconds).toBeGreaterThan(1);
});

test.each(['/dev/zero', '/w/a'])('lets others have the thread while %s is read', async (path) => {
  const file = files.open(path, { read: true }, user);
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  });
  let reads = 0;
  for (; reads < 1_000_000 && !isOver; reads++) file.unread(await file.read(1));
  expect(reads).toBeLessThan(1_000_000);
  await expect(file.read(1, AbortSignal.abort('SIGTERM'))).rejects.toBe('SIGTERM');
});

test('neither reads nor changes a file that nobody holds any longer', async () => {
  const file = files.open('/w/a', { read: true, write: true }, user);
  file.release();
  await expect(file.read(1)).rejects.toMatchObject({ code: 'EBADF' });
  await expect(file.write(encodeText('x'))).rejects.toMatchObject({ code: 'EBADF' });
});
