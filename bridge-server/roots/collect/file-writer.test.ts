import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { loadTree } from '../../../tree/objects/load-tree.ts';
import { sealTree } from '../../../tree/objects/seal-tree.ts';
import { FileWriter } from './file-writer.ts';

const borders = fc.constantFrom(0, 1, 100, 32_767, 32_768, 32_769, 65_536, 100_000);
const content = fc.array(fc.record({ length: borders, fill: fc.constantFrom(0, 1, 2) }), { maxLength: 5 });

describe('FileWriter', () => {
  test('makes a file what the disk has, in pieces and holes, and says whether it was', () => {
    fc.assert(
      fc.property(content, content, fc.boolean(), fc.boolean(), (before, now, isNew, isStored) => {
        const old = bytesOf(before);
        const made = treeWith(old);
        const tree = isStored ? stored(made).tree : made;
        const ino = tree.lookup(tree.root, 'file');
        const writer = new FileWriter(tree);
        writer.start(ino, { isNew });
        let at = 0;
        for (const { length, fill } of now) {
          at += length;
          // A hole is what is zero; two of them in a row are as good as one.
          if (fill === 0) writer.hole(at);
          else writer.push(new Uint8Array(length).fill(fill));
        }
        writer.finish(at);
        const expected = bytesOf(now);
        const found = new Uint8Array(expected.length);
        tree.read(ino, 0, found);
        expect(tree.stat(ino)?.sizeBytes).toBe(expected.length);
        expect(Buffer.compare(found, expected)).toBe(0);
        expect(writer.changed).toBe(isNew || Buffer.compare(old, expected) !== 0);
      }),
      { numRuns: 200 },
    );
  });

  test('a file of many holes is what the disk has, where its holes move, too', () => {
    const tree = new LiveTree();
    const ino = tree.create(tree.root, 'file', { mode: 0o100644, uid: 0, gid: 0 });
    const writer = new FileWriter(tree);
    const pieces = 300;
    const write = (fill: number) => {
      writer.start(ino, { isNew: false });
      for (let piece = 0; piece < pieces; piece++) {
        writer.hole(piece * 65_536);
        if (piece % 3 !== fill) writer.push(new Uint8Array(1).fill(fill));
      }
      writer.finish(pieces * 65_536);
      return writer.changed;
    };
    expect([write(1), write(1), write(2)]).toEqual([true, false, true]);
    const found = new Uint8Array(1);
    const first = [0, 1, 2, 3].map((piece) => tree.read(ino, piece * 65_536, found) && found[0]);
    expect(first).toEqual([2, 2, 0, 2]);
  });

  test('compares with what is stored by ids, and reads nothing of it but its list of chunks', () => {
    const old = bytesOf([{ length: 100 * 32_768, fill: 3 }]);
    for (const [index, byte] of [0, 1, 2].entries()) old[index * 32_768] = byte + 7;
    const { tree, reads } = stored(treeWith(old));
    const ino = tree.lookup(tree.root, 'file');
    const now = Buffer.concat([old, Buffer.alloc(10, 1)]);
    now[50 * 32_768] = 99;
    const writer = new FileWriter(tree);
    writer.start(ino, { isNew: false });
    writer.push(now);
    writer.finish(now.length);
    const list = 1;
    const first = 1;
    expect(reads()).toBeLessThanOrEqual(list + first);
    const found = new Uint8Array(now.length);
    tree.read(ino, 0, found);
    expect(Buffer.compare(found, now)).toBe(0);
  });
});

function treeWith(content: Uint8Array): LiveTree {
  const tree = new LiveTree();
  tree.write(tree.create(tree.root, 'file', { mode: 0o100644, uid: 0, gid: 0 }), 0, content);
  return tree;
}

/** The same tree as it is in a store, nothing of it in memory, and how often its content was read. */
function stored(made: LiveTree): { tree: LiveTree; reads: () => number } {
  const { id, objects } = sealTree(made.snapshot());
  const bytesById = new Map(objects.map((object) => [object.id, object.bytes]));
  let reads = 0;
  const read = (wanted: ObjectId) => {
    reads += 1;
    return bytesById.get(wanted) ?? new Uint8Array();
  };
  const { snapshot } = loadTree({ read }, id);
  reads = 0;
  return { tree: LiveTree.from(snapshot, { content: new ContentCache({ read }) }), reads: () => reads };
}

function bytesOf(parts: readonly { length: number; fill: number }[]): Buffer {
  return Buffer.concat(parts.map(({ length, fill }) => Buffer.alloc(length, fill)));
}
