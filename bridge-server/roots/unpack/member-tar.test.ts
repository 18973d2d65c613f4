import { expect, test } from 'vitest';
import { fileMode } from '../../../tree/live/file-mode.ts';
import type { TreeEntry } from '../../../tree/objects/tree-entry.ts';
import { memberTar } from './member-tar.ts';

const directory: TreeEntry = {
  name: '',
  mode: fileMode.directory | 0o755,
  uid: 0,
  gid: 0,
  mtimeSeconds: 1,
  mtimeNanoseconds: 0,
  rdev: 0,
  sizeBytes: 0,
  content: undefined,
  directory: undefined,
  target: undefined,
  xattrs: new Map(),
};
const symlink: TreeEntry = { ...directory, mode: fileMode.symlink | 0o777, target: 'to' };
const source = {
  read: () => {
    throw new Error('None of these has content');
  },
};

test.each([
  // tar refuses a member outside of the folder that it unpacks into, and one without a name.
  ['the root', '', directory, './'],
  ['a directory', 'etc/apt', directory, 'etc/apt/'],
  ['a symbolic link', 'bin', symlink, 'bin'],
])('%s has a name by which tar finds it', (_, path, entry, name) => {
  const abilities = { isRoot: true, hasIds: true };
  const bytes = Buffer.concat([...memberTar(path, entry, { source, abilities })]);
  // The name field of a ustar header.
  expect(bytes.subarray(0, 100).toString().replace(/\0+$/, '')).toBe(name);
});
