import { describe, expect, test } from 'vitest';
import { type DirectoryEntry, DirectoryMap, directoryChanges } from './directory-map.ts';

describe('a directory that is loaded in one go', () => {
  // Among so many, some hundred pairs of names share the bits that their position is made of.
  const names = Array.from({ length: 50_000 }, (_, ino) => ({ name: `file-${ino}`, ino: ino + 1 }));

  test('lists its names at the positions they would get one after the other', () => {
    const one = new DirectoryMap();
    for (const { name, ino } of names) expect(one.set(name, ino, 1)).toBe(true);
    const all = DirectoryMap.of(names, 1);
    expect(all?.size).toBe(names.length);
    expect(all && entriesOf(all)).toEqual(entriesOf(one));
    expect(all && directoryChanges(one, all).size).toBe(0);
  });

  test('is the same when it is small, and made only when it is looked at', () => {
    const some = names.slice(0, 128);
    const one = new DirectoryMap();
    for (const { name, ino } of some) one.set(name, ino, 1);
    const all = DirectoryMap.of(some, 1);
    const copy = all?.clone();
    expect(all && entriesOf(all)).toEqual(entriesOf(one));
    expect(copy?.root).toBe(all?.root);
    expect(copy?.get('file-127')).toBe(128);
  });

  test('is changed like any other', () => {
    const map = DirectoryMap.of(names.slice(0, 100), 1);
    map?.delete('file-7', 2);
    map?.set('file-new', 1_000, 2);
    expect([map?.get('file-7'), map?.get('file-new'), map?.get('file-8'), map?.size]).toEqual([
      0, 1_000, 9, 100,
    ]);
  });
});

function entriesOf(map: DirectoryMap): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  map.forEach(0, (entry) => Boolean(entries.push(entry)));
  return entries;
}
