import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Link, LinkList } from './link-list.ts';
import { LiveTree } from './live-tree.ts';

test('a list has what was added and not removed, however long it is', () => {
  const link = fc.record({
    parent: fc.nat(9),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  });
  const step = fc.record({ type: fc.constantFrom('add', 'add', 'remove', 'pop'), link });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const text = ({ parent, name }: Link) => `${parent}/${name}`;
      const expected = new Set<string>();
      let list = new LinkList(1);
      for (const { type, link } of steps) {
        if (type === 'remove') {
          list.remove(link);
          expected.delete(text(link));
        } else if (type === 'pop') {
          const popped = list.pop();
          expect(popped === undefined ? expected.size === 0 : expected.delete(text(popped))).toBe(true);
        } else if (!expected.has(text(link))) {
          list.add(link);
          expected.add(text(link));
        }
      }
      list = new LinkList(2, list);
      expect([...list].map(text).sort()).toEqual([...expected].sort());
      expect(list.length).toBe(expected.size);
    }),
  );
});

test('H-9 a file of tens of thousands of names gets and loses each as quickly as the first', () => {
  const tree = new LiveTree();
  const directory = tree.create(tree.root, 'directory', { mode: 0o040755, uid: 0, gid: 0 });
  const file = tree.create(tree.root, 'file', { mode: 0o100644, uid: 0, gid: 0 });
  const names = Array.from({ length: 30_000 }, (_, index) => `name ${index}`);
  expect(names.every((name) => tree.link(file, directory, name) === 0)).toBe(true);
  const before = tree.snapshot();
  expect(names.every((name) => tree.unlink(directory, name) === 0)).toBe(true);
  expect(tree.stat(file)?.nlink).toBe(1);
  expect(tree.inode(file)?.otherLinks.length).toBe(0);
  expect(before.inodes.get(file)?.otherLinks.length).toBe(names.length);
});
