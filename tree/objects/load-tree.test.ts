import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../content/object-id.ts';
import { ContentCache } from '../live/content-cache.ts';
import { LiveTree } from '../live/live-tree.ts';
import { resolvePath } from '../live/resolve-path.ts';
import type { DirectorySize } from './known-directories.ts';
import { loadTree } from './load-tree.ts';
import { sealTree } from './seal-tree.ts';

const file = { mode: 0o100644, uid: 0, gid: 0 };
const directory = { mode: 0o040755, uid: 0, gid: 0 };

/** `/a/deep/deeper` with a file in each, `/b` with a hundred. */
function someTree(): LiveTree {
  const tree = new LiveTree({ clock: () => ({ seconds: 1, nanoseconds: 0 }) });
  const a = tree.create(tree.root, 'a', directory);
  const deep = tree.create(a, 'deep', directory);
  const deeper = tree.create(deep, 'deeper', directory);
  for (const parent of [a, deep, deeper]) tree.write(tree.create(parent, 'file', file), 0, new Uint8Array(9));
  const b = tree.create(tree.root, 'b', directory);
  for (let index = 0; index < 100; index++) tree.create(b, `file${index}`, file);
  return tree;
}

/** A store that tells what is read from it, and what was known of its directories. */
function stored(...trees: LiveTree[]) {
  const objects = new Map<ObjectId, Uint8Array>();
  const ids = trees.map((tree) => {
    const sealed = sealTree(tree.snapshot());
    for (const { id, bytes } of sealed.objects) objects.set(id, bytes);
    return sealed.id;
  });
  const reads: ObjectId[] = [];
  const read = (id: ObjectId): Uint8Array => {
    reads.push(id);
    const bytes = objects.get(id);
    if (!bytes) throw new Error(`${id} is missing`);
    return bytes;
  };
  const sizes = new Map<ObjectId, DirectorySize>();
  const known = {
    get: (id: ObjectId) => sizes.get(id),
    note: (id: ObjectId, size: DirectorySize) => void sizes.set(id, size),
  };
  const [first] = ids;
  if (!first) throw new RangeError('No trees');
  const load = (id: ObjectId = first) => {
    const loaded = loadTree({ read }, id, { known });
    return { ...loaded, tree: LiveTree.from(loaded.snapshot, { content: new ContentCache({ read }) }) };
  };
  return { objects, ids, first, reads, sizes, read, load };
}

function inoOf(tree: LiveTree, path: string): number {
  const found = resolvePath(tree, path);
  return typeof found === 'number' ? found : found.ino;
}

function describeInode(tree: LiveTree, ino: number) {
  const found = tree.stat(ino);
  return found && [found.ino, found.parent, found.mode, found.nlink, found.sizeBytes, found.mtimeSeconds];
}

describe('directories that are known', () => {
  test('are read when they are looked at, each by itself', () => {
    const { load, reads } = stored(someTree());
    load();
    reads.length = 0;
    const { tree } = load();
    expect(reads).toHaveLength(1); // The root of the tree: its directory is known.
    expect(tree.lookup(tree.root, 'b')).toBeGreaterThan(0);
    expect(reads).toHaveLength(2);
    inoOf(tree, '/a/deep');
    expect(reads).toHaveLength(3);
  });

  test('have the same numbers, sizes and links, whoever looks first and how', () => {
    const { load } = stored(someTree());
    const eager = load();
    const deferred = load();
    expect(deferred.snapshot).toMatchObject({
      nextIno: eager.snapshot.nextIno,
      usedBytes: eager.snapshot.usedBytes,
      usedInodes: eager.snapshot.usedInodes,
      depthBound: eager.snapshot.depthBound,
    });
    for (const path of ['/a', '/a/deep', '/a/deep/deeper', '/a/deep/deeper/file', '/b/file99']) {
      const ino = inoOf(eager.tree, path);
      // By the number alone: nothing above it has been looked at in this one.
      expect(describeInode(load().tree, ino)).toEqual(describeInode(eager.tree, ino));
      expect(inoOf(deferred.tree, path)).toBe(ino);
    }
  });

  test('are shared with the snapshots that have them: one that was taken before sees no change', () => {
    const { load } = stored(someTree());
    load();
    const { tree } = load();
    const before = tree.snapshot();
    tree.unlink(inoOf(tree, '/a/deep'), 'file');
    const old = LiveTree.from(before);
    expect(old.lookup(inoOf(old, '/a/deep'), 'file')).toBeGreaterThan(0);
    expect(tree.lookup(inoOf(tree, '/a/deep'), 'file')).toBe(0);
  });

  test('a change below one writes only the directories above it (H-3)', () => {
    const { load } = stored(someTree());
    load();
    const { tree, sealed } = load();
    tree.create(inoOf(tree, '/a/deep/deeper'), 'new', file);
    const after = sealTree(tree.snapshot(), sealed);
    expect(after.objects).toHaveLength(5); // Four directories and the root of the tree.
    expect(after.id).toBe(sealTree(tree.snapshot()).id);
  });

  test('with a file of several names below, are read at once', () => {
    const linked = someTree();
    linked.link(inoOf(linked, '/a/deep/file'), inoOf(linked, '/b'), 'same');
    const { load, ids, reads } = stored(someTree(), linked);
    load(); // Where nothing is linked, everything becomes known.
    reads.length = 0;
    const { tree } = load(ids[1]);
    expect(inoOf(tree, '/b/same')).toBe(inoOf(tree, '/a/deep/file'));
    expect(tree.stat(inoOf(tree, '/b/same'))?.nlink).toBe(2);
  });

  test('one whose object is missing says so each time, and the rest can be used', () => {
    const { load, objects, sizes } = stored(someTree());
    load();
    const [deepest] = [...sizes].find(([, size]) => size.names === 1) ?? [];
    if (deepest) objects.delete(deepest);
    const { tree } = load();
    const deeper = inoOf(tree, '/a/deep/deeper');
    for (let times = 0; times < 2; times++) {
      expect(() => tree.lookup(deeper, 'file')).toThrow('is missing');
    }
    expect(inoOf(tree, '/b/file7')).toBeGreaterThan(0);
  });

  test('count for the limits of a tree', () => {
    const { load, first, read, sizes } = stored(someTree());
    load();
    const known = { get: (id: ObjectId) => sizes.get(id), note: () => undefined };
    const options = { known, maxInodes: 50 };
    expect(() => loadTree({ read }, first, options)).toThrow('more than 50 inodes');
  });

  test('one whose size is not the recorded one is refused on first access', () => {
    const { load, sizes } = stored(someTree());
    load();
    for (const [id, size] of sizes) sizes.set(id, { ...size, names: size.names + 1 });
    const { tree } = load();
    expect(() => tree.lookup(tree.root, 'a')).toThrow('its size is not the one that was recorded');
  });
});
