import { expect, test } from 'vitest';
import { encodeTarHeader } from '../../tree/tar/encode-tar-header.ts';
import { GitTree } from './git-tree.ts';

const plain = {
  permissions: 0o644,
  uid: 0,
  gid: 0,
  mtimeSeconds: 0,
  mtimeNanoseconds: 0,
  major: 0,
  minor: 0,
};
const header = (path: string, type: 'file' | 'hardLink' | 'fifo' = 'file', linkPath = '') =>
  encodeTarHeader({ ...plain, type, path, linkPath, sizeBytes: 0, xattrs: new Map() });

test('H-9 S-6 names that lead out, links to nothing, and what is no archive, do not get into a tree', () => {
  const left: string[] = [];
  const tree = new GitTree((path) => void left.push(path));
  const names = ['../evil', 'a/../../evil', '/etc//evil', './fine', 'a/./b'];
  for (const name of names) tree.push(header(name));
  tree.push(header('hard', 'hardLink', '../../etc/passwd'));
  tree.push(header('pipe', 'fifo'));
  // `git write-tree` of an empty file "fine".
  const [only, ...more] = [...tree.trees()];
  expect([only?.id, more]).toEqual(['bafc0ff4bb37655b69053c8ee9546158756fac7d', []]);
  expect(left).toEqual(['..', 'a/..', '', 'a/.', 'hard', 'pipe']);

  const other = new GitTree(() => {});
  expect(() => other.push(new Uint8Array(512).fill(65))).toThrowError(
    expect.objectContaining({ code: 'corrupt-object' }),
  );
});
