import { beforeEach, expect, test } from 'vitest';
import { TreeFiles } from '../../shell/files/tree-files.ts';
import { decodeText, encodeText } from '../../shell/text.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { ShellFileChanger } from './file-changer.ts';

const owner = { uid: 1000, gid: 1000, umask: 0o022 };
let files: TreeFiles;
let changer: ShellFileChanger;
beforeEach(() => {
  files = new TreeFiles(new LiveTree({ totalBytes: 1_000_000 }));
  files.mkdir('/home', owner);
  changer = new ShellFileChanger(files);
});

test('S-10 a write without room leaves the old content, and no new file', async () => {
  await changer.write({ path: '/home/file', bytes: encodeText('old') });
  const large = { bytes: new Uint8Array(2_000_000).fill(1) };
  await expect(changer.write({ path: '/home/file', ...large })).rejects.toMatchObject({
    code: 'storage-full',
  });
  expect(decodeText(files.readFile('/home/file'))).toBe('old');
  await expect(changer.write({ path: '/home/new', ...large })).rejects.toMatchObject({
    code: 'storage-full',
  });
  expect(files.readdir('/home')).toEqual(['file']);
});

test('S-10 a copy keeps links within it, owners, permissions and times, and is of one piece', async () => {
  files.mkdir('/home/from', owner);
  files.writeFile('/home/from/one', encodeText('x'.repeat(300)), owner);
  files.link('/home/from/one', '/home/from/two');
  files.symlink('one', '/home/from/three', owner);
  files.chmod('/home/from/one', 0o4751);
  files.utimes('/home/from/one', { mtime: { seconds: 7, nanoseconds: 9 } });
  await changer.copy({ path: '/home/from', to: '/home/to' });
  const { mode, uid, nlink, mtimeSeconds, mtimeNanoseconds } = files.stat('/home/to/two');
  expect({ mode: mode & 0o7777, uid, nlink, mtimeSeconds, mtimeNanoseconds }).toEqual({
    mode: 0o4751,
    uid: 1000,
    nlink: 2,
    mtimeSeconds: 7,
    mtimeNanoseconds: 9,
  });
  expect(files.readlink('/home/to/three')).toBe('one');
});

test('S-10 a directory is not copied into itself, and what does not fit leaves nothing', async () => {
  files.mkdir('/home/from', owner);
  await expect(changer.copy({ path: '/home/from', to: '/home/from/in' })).rejects.toMatchObject({
    code: 'invalid-argument',
  });
  files.writeFile('/home/from/file', new Uint8Array(600_000).fill(1), owner);
  await expect(changer.copy({ path: '/home/from', to: '/home/to' })).rejects.toMatchObject({
    code: 'storage-full',
  });
  expect(files.readdir('/home')).toEqual(['from']);
});
