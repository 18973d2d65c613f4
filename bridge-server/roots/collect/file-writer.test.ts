import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { FileWriter } from './file-writer.ts';

const borders = fc.constantFrom(0, 1, 100, 32_767, 32_768, 32_769, 65_536, 100_000);
const content = fc.array(fc.record({ length: borders, fill: fc.constantFrom(0, 1, 2) }), { maxLength: 5 });

describe('FileWriter', () => {
  test('makes a file what the disk has, in pieces and holes, and says whether it was', () => {
    fc.assert(
      fc.property(content, content, fc.boolean(), (before, now, isNew) => {
        const tree = new LiveTree();
        const ino = tree.create(tree.root, 'file', { mode: 0o100644, uid: 0, gid: 0 });
        const old = bytesOf(before);
        tree.write(ino, 0, old);
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
});

function bytesOf(parts: readonly { length: number; fill: number }[]): Buffer {
  return Buffer.concat(parts.map(({ length, fill }) => Buffer.alloc(length, fill)));
}
