import { describe, expect, test } from 'vitest';
import { errno } from './errno.ts';
import { LiveTree } from './live-tree.ts';
import { resolvePath } from './resolve-path.ts';

function sample(): LiveTree {
  const tree = new LiveTree();
  const symlink = (directory: number, name: string, target: string) =>
    tree.create(directory, name, { mode: 0o120777, uid: 0, gid: 0, target });
  const home = tree.create(tree.root, 'home', { mode: 0o040755, uid: 0, gid: 0 });
  tree.create(home, 'h\xc3\xa9', { mode: 0o100644, uid: 0, gid: 0 });
  symlink(tree.root, 'absolute', '/home');
  symlink(home, 'up', '../../../home/h\xc3\xa9');
  symlink(tree.root, 'a', 'b');
  symlink(tree.root, 'b', 'a');
  return tree;
}

describe('resolvePath', () => {
  const tree = sample();
  const home = tree.lookup(tree.root, 'home');
  const file = tree.lookup(home, 'h\xc3\xa9');

  test.each([
    ['/', tree.root],
    ['/home/hé', file],
    ['home//./hé', file],
    ['/absolute/hé', file],
    ['/absolute/up', file],
    ['/home/../../..', tree.root],
    ['/home/', home],
    ['/home/missing', 0],
  ])('%s leads to its inode', (path, ino) => {
    expect(resolvePath(tree, path)).toMatchObject({ ino });
  });

  test('says where to create what is missing', () => {
    expect(resolvePath(tree, '/absolute/missing')).toEqual({ ino: 0, directory: home, name: 'missing' });
  });

  test('leaves the last symlink alone when asked', () => {
    const ino = tree.lookup(tree.root, 'absolute');
    expect(resolvePath(tree, '/absolute', { followLast: false })).toMatchObject({ ino });
  });

  test.each([
    ['/a', errno.ELOOP],
    ['/home/missing/deeper', errno.ENOENT],
    ['/home/hé/deeper', errno.ENOTDIR],
    ['/home/hé/', errno.ENOTDIR],
    [`/${'n'.repeat(256)}`, errno.ENAMETOOLONG],
  ])('%s fails as in Linux', (path, number) => {
    expect(resolvePath(tree, path)).toBe(-number);
  });
});
