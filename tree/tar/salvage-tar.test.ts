import { describe, expect, test } from 'vitest';
import { awkwardTree } from '../../test/tree/awkward-tree.ts';
import { describeTree } from '../../test/tree/describe-tree.ts';
import type { ObjectId } from '../content/object-id.ts';
import { LiveTree } from '../live/live-tree.ts';
import { sealTree } from '../objects/seal-tree.ts';
import { extractTar } from './extract-tar.ts';
import { salvageTar } from './salvage-tar.ts';
import { writeTar } from './write-tar.ts';

interface Sealed {
  readonly id: ObjectId;
  readonly objects: Map<ObjectId, Uint8Array>;
}

function seal(tree: LiveTree): Sealed {
  const { id, objects } = sealTree(tree.snapshot());
  return { id, objects: new Map([...objects].map((object) => [object.id, object.bytes])) };
}

function salvage({ id, objects }: Sealed): { archive: Uint8Array[]; missing: string[] } {
  const read = (object: ObjectId): Uint8Array => {
    const bytes = objects.get(object);
    if (!bytes) throw new RangeError(`Object ${object} is missing`);
    return bytes;
  };
  const missing: string[] = [];
  const archive = [...salvageTar({ read }, id, { onMissing: (path) => missing.push(path) })];
  return { archive, missing };
}

function add(tree: LiveTree, path: string, content: Uint8Array | 'directory'): number {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const directory = names.reduce((at, each) => tree.lookup(at, each), tree.root);
  const type = content === 'directory' ? 0o040755 : 0o100644;
  const ino = tree.create(directory, name, { mode: type, uid: 0, gid: 0 });
  if (content !== 'directory') tree.write(ino, 0, content);
  return ino;
}

/** `sizeBytes` bytes that no other piece of content shares. */
function noise(sizeBytes: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, at) => (at * 31 + seed * 7 + (at >> 8)) & 255);
}

describe('a tar of what is there', () => {
  test('R-3 with nothing missing, it is byte for byte the archive of the whole', () => {
    const tree = awkwardTree();
    const sparse = add(tree, 'sparse', new Uint8Array(0));
    tree.write(sparse, 5_000_000, noise(100, 1));
    tree.truncate(sparse, 9_000_001);
    for (let index = 0; index < 3_000; index++) add(tree, `file-${index}`, noise(1, index));
    const { archive, missing } = salvage(seal(tree));
    expect(missing).toEqual([]);
    expect(Buffer.concat(archive).equals(Buffer.concat([...writeTar(tree)]))).toBe(true);
  });

  test('a file with a missing piece is left out whole and named; its other names too', () => {
    const tree = new LiveTree();
    add(tree, 'here', noise(50_000, 1));
    const long = noise(100_000, 2);
    tree.link(add(tree, 'long', long), tree.root, 'long-too');
    const sealed = seal(tree);
    const lost = [...sealed.objects].filter(([, bytes]) =>
      Buffer.from(bytes.subarray(1)).equals(Buffer.from(long.subarray(65_536, 98_304))),
    );
    expect(lost).toHaveLength(1);
    for (const [id] of lost) sealed.objects.delete(id);
    const { archive, missing } = salvage(sealed);
    expect(missing).toEqual(['/long', '/long-too']);
    const copy = new LiveTree();
    extractTar(copy, archive);
    expect(describeTree(copy).map(({ path }) => path)).toEqual(['', '/here']);
  });

  test('a directory whose list is missing is there, empty, and named with a slash', () => {
    const tree = new LiveTree();
    add(tree, 'usr', 'directory');
    add(tree, 'usr/bin', 'directory');
    add(tree, 'usr/bin/true', noise(10, 1));
    const before = seal(tree);
    add(tree, 'home', 'directory');
    add(tree, 'home/mine', noise(10, 2));
    const sealed = seal(tree);
    for (const id of before.objects.keys()) sealed.objects.delete(id);
    const { archive, missing } = salvage(sealed);
    expect(missing).toEqual(['/usr/']);
    const copy = new LiveTree();
    extractTar(copy, archive);
    expect(describeTree(copy).map(({ path }) => path)).toEqual(['', '/home', '/home/mine', '/usr']);
  });

  test('of a long directory, the pages that are there count', () => {
    const tree = new LiveTree();
    for (let index = 0; index < 3_000; index++) add(tree, `file-${index}`, noise(1, 1));
    const before = seal(tree);
    add(tree, 'one-more', noise(10, 3));
    const sealed = seal(tree);
    for (const id of before.objects.keys()) sealed.objects.delete(id);
    const { archive, missing } = salvage(sealed);
    expect(missing).toContain('/');
    const copy = new LiveTree();
    extractTar(copy, archive);
    expect(describeTree(copy).map(({ path }) => path)).toContain('/one-more');
  });

  test('a root that is missing is an error', () => {
    const sealed = seal(new LiveTree());
    sealed.objects.clear();
    expect(() => salvage(sealed)).toThrow('is missing');
  });
});
