import { toByteString } from '../../tree/content/byte-string.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';

/** Everything that tar can carry, in awkward sizes. */
export function awkwardTree(): LiveTree {
  const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 123_456_789 }) });
  const add = (directory: number, name: string, mode: number, more: object = {}) =>
    tree.create(directory, toByteString(name), { mode, uid: 0, gid: 0, ...more });
  const deep = add(add(tree.root, 'directory', 0o041777), 'd'.repeat(200), 0o040750);
  const file = add(deep, `${'ä'.repeat(100)}.txt`, 0o104755, { uid: 3_000_000, gid: 70_000 });
  tree.write(file, 0, new Uint8Array(70_001).fill(7));
  tree.link(file, tree.root, 'again');
  tree.setXattr(file, 'user.raw', new Uint8Array([0, 10, 61, 255]));
  tree.setXattr(file, 'user.a=b%3D', new Uint8Array([61]));
  tree.setXattr(file, 'security.capability', new Uint8Array(20).fill(1));
  add(tree.root, 'empty', 0o100600);
  add(tree.root, 'link', 0o120777, { target: `../${'t'.repeat(300)}` });
  add(tree.root, 'fifo', 0o010640);
  add(tree.root, 'null', 0o020666, { rdev: (1 << 8) | 3 });
  add(tree.root, 'disk', 0o060660, { rdev: ((300 & 0xff) | (259 << 8) | ((300 & 0xfff00) << 12)) >>> 0 });
  tree.create(tree.root, 'not\xffutf8', { mode: 0o100644, uid: 0, gid: 0 });
  tree.create(tree.root, 'x\xfe'.repeat(70), { mode: 0o100644, uid: 0, gid: 0 });
  tree.setAttributes(add(tree.root, 'old', 0o100644), { mtime: { seconds: -2, nanoseconds: 250_000_000 } });
  return tree;
}
