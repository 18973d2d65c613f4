import { expect, test } from 'vitest';
import { LiveTree } from './live-tree.ts';

test('H-9 a file of thousands of attributes gets and loses each as quickly as the first, and a snapshot keeps its own', () => {
  const tree = new LiveTree();
  const file = tree.create(tree.root, 'file', { mode: 0o100644, uid: 0, gid: 0 });
  const names: string[] = [];
  const add = () => tree.setXattr(file, `user.${names.length.toString(36)}`, new Uint8Array());
  while (add() === 0) names.push(`user.${names.length.toString(36)}`);
  expect(names.length).toBeGreaterThan(8_000);
  const whole = tree.snapshot();
  expect(names.every((name) => tree.removeXattr(file, name) === 0)).toBe(true);
  expect(tree.listXattrs(file)).toEqual([]);
  const none = tree.snapshot();
  expect(tree.setXattr(file, 'user.other', Uint8Array.of(1))).toBe(0);
  expect([...(whole.inodes.get(file)?.xattrs.keys() ?? [])]).toEqual(names);
  expect(none.inodes.get(file)?.xattrs.size).toBe(0);
  tree.restore(whole);
  expect(tree.removeXattr(file, 'user.0')).toBe(0);
  expect(whole.inodes.get(file)?.xattrs.size).toBe(names.length);
});
