import { describe, expect, test } from 'vitest';
import { encodeChunkList } from '../content/chunk-list.ts';
import type { ObjectId } from '../content/object-id.ts';
import { LiveTree } from '../live/live-tree.ts';
import { counterparts } from './counterparts.ts';
import { storedObject } from './hash-object.ts';
import type { StoredObject } from './object-store.ts';
import { sealTree } from './seal-tree.ts';
import { decodeTreeRoot } from './tree-root.ts';

const text = new TextEncoder();
const id = (digit: string): ObjectId => digit.repeat(64) as ObjectId;

/** A directory with these files, each with a content of its own: the root's object and those that are below it. */
function directory(
  names: readonly string[],
  about: string,
): { top: StoredObject; below: Map<ObjectId, Uint8Array> } {
  const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 0 }) });
  for (const name of names) {
    const ino = tree.create(tree.root, name, { mode: 0o100644, uid: 0, gid: 0 });
    tree.write(ino, 0, text.encode(`${about} ${name}`));
  }
  const sealed = sealTree(tree.snapshot());
  const below = new Map(sealed.objects.map(({ id: each, bytes }) => [each, bytes]));
  const root = decodeTreeRoot(below.get(sealed.id) ?? new Uint8Array(0)).entry.directory;
  return { top: { id: root, bytes: below.get(root) ?? new Uint8Array(0) }, below };
}

function contentOf(from: Map<ObjectId, Uint8Array>, object: ObjectId): string {
  return Buffer.from(from.get(object) ?? [])
    .toString('latin1')
    .slice(1);
}

describe('counterparts (B-9)', () => {
  test('B-9 what is in a directory has what was there under the same name', () => {
    const before = directory(['a', 'b', 'gone'], 'old');
    const after = directory(['a', 'b', 'new'], 'new');
    const pairs = counterparts(after.top.bytes, before.top).map(([now, was]) => [
      contentOf(after.below, now),
      contentOf(before.below, was),
    ]);
    expect(pairs).toEqual([
      ['new a', 'old a'],
      ['new b', 'old b'],
    ]);
  });

  test('B-9 a page has the one that would have held its first name, and a first index the only page', () => {
    const names = Array.from({ length: 300 }, (_, index) => `file-${1_000 + index}`);
    const before = directory(names, 'same');
    const after = directory(['a-new-first-one', ...names.filter((_, index) => index % 100 !== 7)], 'same');
    const firstNames = (pair: readonly [ObjectId, ObjectId]) =>
      [contentOf(after.below, pair[0]), contentOf(before.below, pair[1])].map((page) => page.slice(1, 10));
    const pairs = counterparts(after.top.bytes, before.top).map(firstNames);
    expect(pairs.length).toBeGreaterThan(2);
    expect(pairs[0]).toEqual(['a-new-fir', 'file-1000']);
    for (const [now = '', was = ''] of pairs.slice(1)) expect(now >= was).toBe(true);

    const small = directory(names.slice(0, 2), 'same');
    expect(new Set(counterparts(after.top.bytes, small.top).map(([, was]) => was))).toEqual(
      new Set([small.top.id]),
    );
    expect(counterparts(small.top.bytes, before.top)).toEqual([]);
  });

  test('B-9 a piece of a file has the one at its place; one that grew past a chunk begins with that', () => {
    const before = storedObject(encodeChunkList(0, [id('1'), undefined, id('3')]));
    const after = encodeChunkList(0, [id('4'), id('5'), id('6'), id('7')]);
    expect(counterparts(after, before)).toEqual([
      [id('4'), id('1')],
      [id('6'), id('3')],
    ]);
    const chunk = storedObject(Uint8Array.of(1, 65));
    expect(counterparts(after, chunk)).toEqual([[id('4'), chunk.id]]);
    expect(counterparts(encodeChunkList(0, [undefined, id('5')]), chunk)).toEqual([]);
    expect(counterparts(encodeChunkList(1, [id('8'), id('9')]), before)).toEqual([]);
    expect(counterparts(chunk.bytes, before)).toEqual([]);
  });
});
