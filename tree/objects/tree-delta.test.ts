import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../content/object-id.ts';
import { ContentCache } from '../live/content-cache.ts';
import { LiveTree } from '../live/live-tree.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import { applyTreeDelta, makeTreeDelta } from './apply-tree-delta.ts';
import { loadTree } from './load-tree.ts';
import { sealTree } from './seal-tree.ts';
import { sealUnlinked } from './seal-unlinked.ts';
import type { SealedTree } from './sealed-tree.ts';
import { decodeTreeDelta, encodeTreeDelta } from './tree-delta.ts';

const owner = { uid: 0, gid: 0 };

/** Objects of every tree of a test. */
class Objects {
  readonly #bytes = new Map<ObjectId, Uint8Array>();

  add(objects: readonly { id: ObjectId; bytes: Uint8Array }[]): void {
    for (const { id, bytes } of objects) this.#bytes.set(id, bytes);
  }

  read(id: ObjectId): Uint8Array {
    const bytes = this.#bytes.get(id);
    if (!bytes) throw new RangeError(`no object ${id}`);
    return bytes;
  }
}

function begin(): { objects: Objects; base: SealedTree; tree: LiveTree } {
  const objects = new Objects();
  const tree = new LiveTree();
  const home = tree.create(tree.root, 'home', { mode: 0o040755, ...owner });
  for (const name of ['a', 'b', 'c']) {
    const ino = tree.create(home, name, { mode: 0o100644, ...owner });
    tree.write(ino, 0, new TextEncoder().encode(`content of ${name}`));
  }
  tree.create(tree.root, 'empty', { mode: 0o040700, ...owner });
  const first = sealTree(tree.snapshot());
  objects.add(first.objects);
  const base = loadTree(objects, first.id).sealed;
  return { objects, base, tree: LiveTree.from(base.snapshot, { content: new ContentCache(objects) }) };
}

/** Seals what the tree is now, and takes it to another process. */
function carry(
  snapshot: TreeSnapshot,
  { objects, base }: { objects: Objects; base: SealedTree },
): SealedTree {
  const { sealed, objects: made } = sealTree(snapshot, base);
  const removed = sealUnlinked(snapshot);
  objects.add([...made, ...removed.objects]);
  const contentOf = (inode: Parameters<typeof sealed.contentOf>[0]) =>
    removed.contents.get(inode) ?? sealed.contentOf(inode);
  const bytes = encodeTreeDelta(makeTreeDelta(snapshot, { base, contentOf }));
  const there = applyTreeDelta(decodeTreeDelta(bytes), loadTree(objects, base.id).sealed);
  expect(there.id).toBe(sealed.id);
  return there;
}

/** Everything that a guest can see, by inode number. */
function describeTree(snapshot: TreeSnapshot, objects: Objects): unknown[] {
  const tree = LiveTree.from(snapshot, { content: new ContentCache(objects), readOnly: true });
  const found: unknown[] = [tree.usage(), tree.unlinked()];
  snapshot.inodes.forEach((inode) => {
    const { ino, mode, uid, gid, nlink, fileBytes, version, atimeSeconds, mtimeSeconds, ctimeSeconds } =
      inode;
    const content = new Uint8Array(fileBytes);
    if (fileBytes > 0) tree.read(ino, 0, content);
    const names: [string, number][] = [];
    inode.entries?.forEach(0, ({ name, ino: to }) => Boolean(names.push([name, to])));
    const links = inode.nlink === 0 ? [] : [inode.link, ...inode.otherLinks];
    found.push({ ino, mode, uid, gid, nlink, version, atimeSeconds, mtimeSeconds, ctimeSeconds });
    found.push([content, names, links, [...inode.xattrs]]);
  });
  return found;
}

describe('a tree delta', () => {
  test('H-5 keeps inode numbers, removed files that are open, and times', () => {
    const { objects, base, tree } = begin();
    const home = tree.lookup(tree.root, 'home');
    const open = tree.lookup(home, 'a');
    tree.retain(open);
    tree.unlink(home, 'a');
    tree.write(open, 0, new TextEncoder().encode('still here'));
    tree.link(tree.lookup(home, 'b'), tree.root, 'also b');
    tree.rename(home, 'c', tree.root, 'moved');
    tree.setXattr(tree.lookup(tree.root, 'moved'), 'user.x', Uint8Array.of(1, 2));
    const snapshot = tree.snapshot();
    const there = carry(snapshot, { objects, base });
    expect(describeTree(there.snapshot, objects)).toEqual(describeTree(snapshot, objects));
    expect(there.snapshot.nextIno).toBe(snapshot.nextIno);
  });

  test('of any changes is the tree that they made, also of one that came by a delta', () => {
    const step = fc.record({
      act: fc.constantFrom('create', 'write', 'unlink', 'rename', 'link', 'mkdir'),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      to: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    });
    const property = fc.property(fc.array(step, { maxLength: 24 }), (steps) => {
      const { objects, base, tree } = begin();
      let at = tree;
      for (const [index, { act, name, to }] of steps.entries()) {
        const home = at.lookup(at.root, 'home');
        const ino = at.lookup(home, name);
        if (act === 'create') at.create(home, name, { mode: 0o100600, ...owner });
        else if (act === 'mkdir') at.create(home, name, { mode: 0o040755, ...owner });
        else if (act === 'rename') at.rename(home, name, at.root, to);
        else if (ino === 0) continue;
        else if (act === 'write') at.write(ino, index * 9_000, new TextEncoder().encode(`${index}`));
        else if (act === 'link') at.link(ino, at.root, to);
        else {
          at.retain(ino);
          at.unlink(home, name);
        }
        if (index % 7 !== 6) continue;
        const there = carry(at.snapshot(), { objects, base });
        expect(describeTree(there.snapshot, objects)).toEqual(describeTree(at.snapshot(), objects));
        at = LiveTree.from(there.snapshot, { content: new ContentCache(objects) });
        for (const unlinked of at.unlinked()) at.retain(unlinked);
      }
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('that is cut off, or has other bytes, is refused or makes another tree', () => {
    const { objects, base, tree } = begin();
    tree.create(tree.root, 'new', { mode: 0o100644, ...owner });
    const { sealed } = sealTree(tree.snapshot(), base);
    const contentOf = (inode: Parameters<typeof sealed.contentOf>[0]) => sealed.contentOf(inode);
    const bytes = encodeTreeDelta(makeTreeDelta(tree.snapshot(), { base, contentOf }));
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeTreeDelta(bytes.subarray(0, length))).toThrow(RangeError);
    const change = fc.record({ at: fc.nat(bytes.length - 1), to: fc.nat(255) });
    const property = fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const altered = bytes.slice();
      for (const { at, to } of changes) altered[at] = to;
      try {
        applyTreeDelta(decodeTreeDelta(altered), loadTree(objects, base.id).sealed);
      } catch (error) {
        expect(error instanceof RangeError || error instanceof TypeError).toBe(true);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});

test('a tree with smaller inode numbers than its base, as after files came from elsewhere, is carried too', () => {
  const { objects, base } = begin();
  const tree = new LiveTree();
  tree.create(tree.root, 'only', { mode: 0o040755, ...owner });
  const there = carry(tree.snapshot(), { objects, base });
  // Numbers of the base are not given again.
  expect(there.snapshot.nextIno).toBe(base.snapshot.nextIno);
});
