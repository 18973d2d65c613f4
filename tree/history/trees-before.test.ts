import { expect, test } from 'vitest';
import { sampleRecord, sampleTree } from '../../test/conformance/sample-snapshots.ts';
import type { ObjectId } from '../content/object-id.ts';
import { MemoryStore } from '../objects/memory-store.ts';
import { History } from './history.ts';
import { refsOfOne } from './history-refs.ts';
import type { SnapshotId } from './snapshot-record.ts';
import { treesBefore } from './trees-before.ts';

/** Four snapshots, one below the other. */
async function line(store: MemoryStore): Promise<{ ids: SnapshotId[]; trees: ObjectId[] }> {
  const history = History.open(store);
  const ids: SnapshotId[] = [];
  const trees: ObjectId[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    const tree = sampleTree({ [name]: new TextEncoder().encode(name) });
    ids.push(await history.add(sampleRecord(tree.id, { parents: ids.slice(-1) }), tree));
    trees.push(tree.id);
  }
  return { ids, trees: trees.reverse() };
}

test('O-7 the trees before HEAD are those of its line, the newest first, so many at most', async () => {
  const store = new MemoryStore();
  const { ids, trees } = await line(store);
  const history = History.open(store);
  expect(treesBefore(history, { store, most: 9 })).toEqual(trees);
  expect(treesBefore(history, { store, most: 2 })).toEqual(trees.slice(0, 2));
  await history.moveHead(ids[1] as SnapshotId);
  expect(treesBefore(history, { store, most: 9 })).toEqual(trees.slice(2));
  const empty = new MemoryStore();
  expect(treesBefore(History.open(empty), { store: empty, most: 9 })).toEqual([]);
});

test('O-7 those of forgotten snapshots count while they are stored, and are passed over once they are not', async () => {
  const store = new MemoryStore();
  const { ids, trees } = await line(store);
  const history = History.open(store);
  await history.forget(ids.slice(1, 3));
  expect(treesBefore(history, { store, most: 9 })).toEqual(trees);
  await history.collect();
  expect(treesBefore(history, { store, most: 9 })).toEqual([trees[0], trees[3]]);
});

test('O-7 a history that begins with one snapshot of another knows the trees before it from their records', async () => {
  const store = new MemoryStore();
  const { ids, trees } = await line(store);
  const [, , third] = ids;
  if (!third) throw new Error('There are not three');
  const gone = store.refs('').map(([name]) => ({ name, value: undefined }));
  const refs = [...refsOfOne(third)].map(([name, value]) => ({ name, value }));
  await store.commit({ objects: [], refs: [...gone, ...refs] });
  const fork = History.open(store);
  expect(fork.list().map(({ id, parents }) => [id, parents])).toEqual([[third, []]]);
  expect(fork.head).toBe(third);
  expect(treesBefore(fork, { store, most: 9 })).toEqual(trees.slice(1));
});
