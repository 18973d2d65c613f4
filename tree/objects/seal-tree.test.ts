import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeChunk } from '../content/chunk.ts';
import { decodeChunkList } from '../content/chunk-list.ts';
import type { ObjectId } from '../content/object-id.ts';
import { ContentCache } from '../live/content-cache.ts';
import { errno } from '../live/errno.ts';
import { LiveTree } from '../live/live-tree.ts';
import { hashObject } from './hash-object.ts';
import { loadTree } from './load-tree.ts';
import { treeReferences } from './references.ts';
import { sealSlices, sealTree } from './seal-tree.ts';
import { TreeReader } from './tree-reader.ts';

const goldenFile = new URL('../../test/fixtures/objects.json', import.meta.url);
const golden = JSON.parse(readFileSync(goldenFile, 'utf8')) as {
  tree: string;
  objects: { id: string; about: string; hex: string }[];
};

/** The tree that the golden vectors are of; SPEC.md describes it. */
function goldenTree(): LiveTree {
  const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 1 }) });
  const make = (name: string, mode: number, more: object = {}) =>
    tree.create(tree.root, name, { mode, uid: 1000, gid: 100, ...more });
  tree.write(make('hello', 0o100644), 0, new TextEncoder().encode('Hello\n\0\0'));
  const big = make('sparse', 0o100600);
  tree.write(big, 40_000, new Uint8Array([1]));
  tree.truncate(big, 200_000);
  tree.setXattr(big, 'user.b', new Uint8Array([0, 255]));
  tree.setXattr(big, 'user.a', new Uint8Array(0));
  make('empty', 0o040700);
  make('link', 0o120777, { target: 'hello' });
  make('null', 0o020666, { rdev: 259 });
  tree.link(tree.lookup(tree.root, 'hello'), tree.root, 'hello-again');
  return tree;
}

function store(...lists: readonly { id: ObjectId; bytes: Uint8Array }[][]) {
  const objects = new Map(lists.flat().map((object) => [object.id, object.bytes]));
  const read = (id: ObjectId) => {
    const bytes = objects.get(id);
    if (bytes === undefined) throw new Error(`${id} is missing`);
    return bytes;
  };
  return { objects, read, get: async (id: ObjectId) => objects.get(id) };
}

describe('sealing (H-2 H-3)', () => {
  test('makes exactly the golden objects (OB-1 … OB-14)', () => {
    const { id, objects } = sealTree(goldenTree().snapshot());
    const made = objects.map((object) => [object.id, Buffer.from(object.bytes).toString('hex')]).sort();
    expect(made).toEqual(golden.objects.map((object) => [object.id, object.hex]).sort());
    expect(id).toBe(golden.tree);
  });

  test('H-2: the order in which a tree came about, access times and inode numbers leave no trace', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const build = (order: readonly string[]) => {
      const tree = new LiveTree({ clock: () => ({ seconds: 5, nanoseconds: 0 }) });
      for (const name of order) {
        const ino = tree.create(tree.root, name, { mode: 0o100644, uid: 0, gid: 0 });
        tree.write(ino, 0, new TextEncoder().encode(name));
        tree.setAttributes(ino, { atime: { seconds: ino, nanoseconds: 0 } });
      }
      return sealTree(tree.snapshot()).id;
    };
    expect(build(names)).toBe(build(names.toReversed()));
  });

  test('H-3: cost follows the change, not the tree', () => {
    const tree = new LiveTree();
    let last = 0;
    for (let directory = 0; directory < 100; directory++) {
      const ino = tree.create(tree.root, `d${directory}`, { mode: 0o040755, uid: 0, gid: 0 });
      for (let file = 0; file < 100; file++)
        last = tree.create(ino, `f${file}`, { mode: 0o100644, uid: 0, gid: 0 });
    }
    const first = sealTree(tree.snapshot());
    first.sealed.settle();
    tree.write(last, 0, new Uint8Array([1]));
    const second = sealTree(tree.snapshot(), first.sealed);
    expect(second.stats.visitedNodes).toBeLessThan(10);
    expect(second.stats.encodedEntries).toBeLessThan(600);
    expect(second.objects.length).toBeLessThan(8);
    expect(sealTree(tree.snapshot()).id).toBe(second.id);
  });

  test('comes in slices that a worker can store between its other duties', () => {
    const tree = new LiveTree();
    const ino = tree.create(tree.root, 'big', { mode: 0o100644, uid: 0, gid: 0 });
    for (let at = 0; at < 100; at++) tree.write(ino, at * 32_768, new Uint8Array(32_768).fill(at + 1));
    const slices = [...sealSlices(tree.snapshot(), { sliceBytes: 500_000 })];
    expect(slices.map((slice) => slice.length)).toEqual([15, 15, 15, 15, 15, 15, 13]);
  });

  test('content that is not durable yet is sealed again, and kept in memory', () => {
    const tree = goldenTree();
    const first = sealTree(tree.snapshot());
    expect(sealTree(tree.snapshot()).objects.length).toBe(first.objects.length);
    first.sealed.settle();
    expect(sealTree(tree.snapshot(), first.sealed).objects).toEqual([]);
  });
});

describe('loading (H-1 H-4)', () => {
  test('reads file content when it is touched, and says EIO when it is missing', () => {
    const sealed = sealTree(goldenTree().snapshot());
    const { objects, read } = store(sealed.objects);
    const { snapshot } = loadTree({ read }, sealed.id);
    const tree = LiveTree.from(snapshot, { content: new ContentCache({ read }) });
    const ino = tree.lookup(tree.root, 'hello');
    const chunk = sealed.objects.find((object) => object.bytes[0] === 1 && object.bytes.length === 7);
    objects.delete(chunk?.id ?? sealed.id);
    expect(tree.read(ino, 0, new Uint8Array(8))).toBe(-errno.EIO);
    expect(tree.write(ino, 2, new Uint8Array(1))).toBe(-errno.EIO);
    if (chunk) objects.set(chunk.id, chunk.bytes);
    const bytes = new Uint8Array(10);
    expect(tree.read(ino, 0, bytes)).toBe(8);
    expect(new TextDecoder().decode(bytes)).toBe('Hello\n\0\0\0\0');
  });

  test('a file that grows before anybody has read it keeps what it had', () => {
    const sealed = sealTree(goldenTree().snapshot());
    const { objects, read } = store(sealed.objects);
    const tree = LiveTree.from(loadTree({ read }, sealed.id).snapshot, {
      content: new ContentCache({ read }),
    });
    tree.create(tree.root, 'nothing', { mode: 0o100644, uid: 0, gid: 0 });
    const grown = sealTree(tree.snapshot());
    for (const { id, bytes } of grown.objects) objects.set(id, bytes);
    const later = LiveTree.from(loadTree({ read }, grown.id).snapshot, {
      content: new ContentCache({ read }),
    });
    const hello = later.lookup(later.root, 'hello');
    expect(later.truncate(hello, 100_000)).toBe(0);
    expect(later.truncate(later.lookup(later.root, 'nothing'), 100_000)).toBe(0);
    const last = sealTree(later.snapshot());
    for (const { id, bytes } of last.objects) objects.set(id, bytes);
    const there = LiveTree.from(loadTree({ read }, last.id).snapshot, {
      content: new ContentCache({ read }),
    });
    const bytes = new Uint8Array(100_001);
    expect(there.read(there.lookup(there.root, 'hello'), 0, bytes)).toBe(100_000);
    expect(new TextDecoder().decode(bytes.subarray(0, 7))).toBe('Hello\n\0');
    expect(there.stat(there.lookup(there.root, 'nothing'))?.sizeBytes).toBe(100_000);
  });

  test('a change of one byte in any object is refused, or gives another id; nothing is thrown but RangeError', () => {
    const sealed = sealTree(goldenTree().snapshot());
    const { read } = store(sealed.objects);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (pick, position, flip) => {
        const victim = sealed.objects[pick % sealed.objects.length];
        if (victim === undefined) return;
        const bytes = victim.bytes.slice();
        const at = position % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        try {
          const source = { read: (id: ObjectId) => (id === victim.id ? bytes : read(id)) };
          const { snapshot } = loadTree(source, sealed.id);
          const tree = LiveTree.from(snapshot, { content: new ContentCache(source) });
          tree.read(tree.lookup(tree.root, 'sparse'), 0, new Uint8Array(1000));
        } catch (error) {
          const isMissing = error instanceof Error && error.message.endsWith('is missing');
          expect(error instanceof RangeError || isMissing).toBe(true);
        }
        expect(hashObject(bytes)).not.toBe(victim.id);
      }),
      { numRuns: 300 },
    );
  });

  test('refuses more inodes or bytes than allowed', () => {
    const sealed = sealTree(goldenTree().snapshot());
    const { read } = store(sealed.objects);
    expect(() => loadTree({ read }, sealed.id, { maxInodes: 5 })).toThrow('more than 5 inodes');
    expect(() => loadTree({ read }, sealed.id, { maxBytes: 100 })).toThrow('more than 100 bytes');
  });

  test('decoders refuse what is not canonical (OB-4 OB-6 OB-7)', () => {
    expect(() => decodeChunk(new Uint8Array([1]))).toThrow('it has 0 bytes');
    expect(() => decodeChunk(new Uint8Array([1, 5, 0]))).toThrow('ends in zeros');
    expect(() => decodeChunkList(new Uint8Array([2, 0, 0, 0]))).toThrow('a run of ids is empty');
    expect(() => decodeChunkList(new Uint8Array([2, 3, 0, 1]))).toThrow('its level is 3');
    expect(() => decodeChunkList(new Uint8Array([2, 0, 0x80, 0]))).toThrow('shortest form');
    expect(() => treeReferences(new Uint8Array([9]))).toThrow('its kind is 9');
  });

  test('a large directory has pages and an index, and one change writes one page', async () => {
    const tree = new LiveTree();
    for (let index = 0; index < 5_000; index++)
      tree.create(tree.root, `file${index}`, { mode: 0o100644, uid: 0, gid: 0 });
    const first = sealTree(tree.snapshot());
    first.sealed.settle();
    expect(first.objects.length).toBeGreaterThan(50);
    tree.unlink(tree.root, 'file2500');
    const second = sealTree(tree.snapshot(), first.sealed);
    expect(second.objects.length).toBe(3);
    const { get } = store(first.objects, second.objects);
    const reader = await TreeReader.open(get, second.id);
    expect((await reader.list('/'))?.length).toBe(4_999);
    expect(await reader.stat('/file2500')).toBeUndefined();
    expect((await reader.stat('/file2501'))?.name).toBe('file2501');
  });
});

describe('TreeReader', () => {
  test('reads files through symlinks, holes as zero', async () => {
    const sealed = sealTree(goldenTree().snapshot());
    const reader = await TreeReader.open(store(sealed.objects).get, sealed.id);
    expect(new TextDecoder().decode(await reader.read('/empty/../link'))).toBe('Hello\n\0\0');
    const sparse = await reader.read('sparse');
    expect([sparse?.length, sparse?.indexOf(1), sparse?.lastIndexOf(1)]).toEqual([200_000, 40_000, 40_000]);
    expect((await reader.stat('link', { followLast: false }))?.target).toBe('hello');
    expect(await reader.read('/nothing')).toBeUndefined();
    await expect(reader.read('sparse', { maxBytes: 10 })).rejects.toThrow('10 is the most');
  });
});
