import { LiveTree } from '../../../tree/live/live-tree.ts';
import { resolveBytes } from '../../../tree/live/resolve-path.ts';
import { describeTree } from '../../tree/describe-tree.ts';

/** All that ids depend on. */
export function describeFiles(tree: LiveTree): unknown[] {
  return describeTree(tree).map((file) => {
    const found = resolveBytes(tree, file.path, { followLast: false });
    const inode = typeof found === 'number' ? undefined : tree.stat(found.ino);
    return { ...file, nanoseconds: inode?.mtimeNanoseconds };
  });
}

/** Something of everything, with hard links within and across directories. */
export function startTree(): LiveTree {
  const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 123_456_789 }) });
  const add = (directory: number, name: string, mode: number, more: object = {}) =>
    tree.create(directory, name, { mode, uid: 0, gid: 0, ...more });
  const a = add(tree.root, 'a', 0o041777);
  const b = add(a, 'b', 0o040750, { uid: 33 });
  const file = add(a, 'a', 0o100644);
  tree.write(file, 0, new Uint8Array(70_001).fill(7));
  tree.link(file, a, 'c');
  tree.link(file, b, 'd');
  const small = add(b, 'a', 0o104755, { uid: 3_000_000, gid: 70_000 });
  tree.write(small, 0, new Uint8Array(10).fill(1));
  tree.setXattr(small, 'user.x', new Uint8Array([0, 10, 61, 255]));
  tree.setXattr(small, 'user.z', new Uint8Array([1]));
  tree.setXattr(b, 'user.y', new Uint8Array(0));
  tree.setXattr(small, 'security.capability', new Uint8Array([1, 0, 0, 2, ...new Array(16).fill(3)]));
  add(tree.root, '\xff\xfe', 0o100600);
  add(tree.root, 'd', 0o120777, { target: '../../etc' });
  add(b, 'f\n', 0o010640);
  add(b, 'c', 0o020666, { rdev: (1 << 8) | 3 });
  const sparse = add(a, '-e', 0o100644);
  tree.write(sparse, 200_000, new Uint8Array(100).fill(9));
  tree.truncate(sparse, 1_000_001);
  add(tree.root, 'n'.repeat(255), 0o100644);
  return tree;
}
