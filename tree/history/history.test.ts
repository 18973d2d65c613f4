import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { sampleRecord, sampleTree } from '../../test/conformance/sample-snapshots.ts';
import { MemoryStore } from '../objects/memory-store.ts';
import { exportSnapshot } from './export-snapshot.ts';
import { History } from './history.ts';
import { shortId } from './history-error.ts';
import { importObjects } from './import-objects.ts';
import type { SnapshotId } from './snapshot-record.ts';

const long = sampleObject(1, 200_000).bytes;

/** Adds a snapshot with one file, `name`, below `parents`. */
async function addSnapshot(
  history: History,
  name: string,
  parents: readonly SnapshotId[] = history.head ? [history.head] : [],
): Promise<SnapshotId> {
  const tree = sampleTree({ [name]: new TextEncoder().encode(`content of ${name}`), long });
  return history.add(sampleRecord(tree.id, { parents, cause: { type: 'manual', label: name } }), tree);
}

async function refusal(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await work.then(
    () => new Error('It was not refused'),
    (reason: unknown) => reason,
  );
  return error as { code: string; message: string };
}

describe('History', () => {
  test('R-4 is a tree: HEAD, children, branches, log, tags', async () => {
    const history = History.open(new MemoryStore());
    expect([history.head, history.log(), history.list()]).toEqual([undefined, [], []]);
    const root = await addSnapshot(history, 'root');
    const left = await addSnapshot(history, 'left');
    await history.moveHead(root);
    const right = await addSnapshot(history, 'right');
    const tip = await addSnapshot(history, 'tip');
    await history.setTag('good', left);
    expect(history.head).toBe(tip);
    expect(history.log()).toEqual([tip, right, root]);
    expect(history.children(root)).toEqual([left, right]);
    expect(history.branches()).toEqual([left, tip]);
    expect(history.get(left).tags).toEqual(['good']);
    expect(history.list().map(({ id }) => id)).toEqual([root, left, right, tip]);
    await history.setTag('better', left);
    await history.setTag('best', tip);
    expect(history.list()).toEqual([root, left, right, tip].map((id) => history.get(id)));
    expect(history.list().map(({ tags }) => tags)).toEqual([[], ['good', 'better'], [], ['best']]);
    for (const name of ['better', 'best']) await history.setTag(name, undefined);
    expect(history.resolve('good')).toBe(left);
    expect(history.resolve('HEAD')).toBe(tip);
    expect(history.resolve(root.slice(0, 10))).toBe(root);
    expect(() => history.resolve('nope')).toThrow('There is no snapshot or tag "nope"');
    await history.setTag('good', undefined);
    expect(history.tags.size).toBe(0);
  });

  test('X-7 knows what two snapshots have in common, through merges too', async () => {
    const history = History.open(new MemoryStore());
    const root = await addSnapshot(history, 'root');
    const left = await addSnapshot(history, 'left');
    const right = await addSnapshot(history, 'right', [root]);
    expect(history.commonAncestor(left, right)).toBe(root);
    expect(history.commonAncestor(left, root)).toBe(root);
    const merged = await addSnapshot(history, 'merged', [left, right]);
    const later = await addSnapshot(history, 'later', [right]);
    expect(history.commonAncestor(merged, later)).toBe(right);
    const other = await addSnapshot(history, 'of another history', []);
    expect(history.commonAncestor(merged, other)).toBeUndefined();
  });

  test('X-7 R-10 a merge stays one when what it was made from is forgotten', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    const root = await addSnapshot(history, 'root');
    const left = await addSnapshot(history, 'left');
    const right = await addSnapshot(history, 'right', [root]);
    const merged = await addSnapshot(history, 'merged', [left, right]);
    await history.forget([right]);
    expect(history.get(merged).parents).toEqual([left, root]);
    await history.collect();
    await history.assertRestorable(merged);
    await history.forget([left]);
    expect(History.open(store).get(merged).parents).toEqual([root]);
  });

  test('R-10 keeps by the policy that was set, which the store has', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    const made: SnapshotId[] = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push(await addSnapshot(history, name));
    const [first, second, third, last] = made;
    await expect(history.setKeepPolicy({ last: -1, hourly: 0, daily: 0 })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    await history.setKeepPolicy({ last: 2, hourly: 0, daily: 0 });
    const again = History.open(store);
    expect(again.keepPolicy).toEqual({ last: 2, hourly: 0, daily: 0 });
    expect(again.prunable()).toEqual([second]);
    expect(await again.retain()).toEqual([second]);
    expect(again.list().map(({ id }) => id)).toEqual([first, third, last]);
    await again.setKeepPolicy(undefined);
    expect(again.keepPolicy).toBeUndefined();
    expect(again.prunable()).toEqual([]);
  });

  test('H-4 is the same when it is opened again', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    await addSnapshot(history, 'a');
    await addSnapshot(history, 'b');
    await history.setTag('größe', history.head);
    await history.forget([history.list()[0]?.id as SnapshotId]);
    const again = History.open(store);
    expect(again.list()).toEqual(history.list());
    expect([again.head, again.tags]).toEqual([history.head, history.tags]);
  });

  test('H-1 what is forgotten leaves no hole: children hang below its parents, records stay as they were', async () => {
    const history = History.open(new MemoryStore());
    const a = await addSnapshot(history, 'a');
    const b = await addSnapshot(history, 'b');
    const c = await addSnapshot(history, 'c');
    const d = await addSnapshot(history, 'd');
    await history.forget([b, c]);
    expect(history.log()).toEqual([d, a]);
    expect(history.get(d).parents).toEqual([a]);
    await history.forget([a]);
    expect(history.get(d).parents).toEqual([]);
    expect((await refusal(history.forget([b]))).code).toBe('not-found');
  });

  test('HEAD and tagged snapshots are not forgotten', async () => {
    const history = History.open(new MemoryStore());
    const a = await addSnapshot(history, 'a');
    const b = await addSnapshot(history, 'b');
    await history.setTag('keep', a);
    expect(await refusal(history.forget([a, b]))).toMatchObject({
      code: 'conflict',
      message: `Cannot forget snapshot "${shortId(a)}": it is tagged "keep"`,
    });
    expect((await refusal(history.forget([b]))).message).toContain('it is HEAD');
    expect(history.list()).toHaveLength(2);
  });

  test('R-10 collect frees what no snapshot needs and keeps the rest restorable', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    const a = await addSnapshot(history, 'a');
    const b = await addSnapshot(history, 'b');
    const orphan = sampleTree({ orphan: sampleObject(7, 10_000).bytes });
    await store.put(orphan.objects);
    await history.forget([a]);
    const before = store.sizeBytes;
    const freed = await history.collect();
    expect(freed).toBe(before - store.sizeBytes);
    expect(freed).toBeGreaterThan(10_000);
    await history.assertRestorable(b);
    expect(await history.collect()).toBe(0);
    expect(await store.has([a])).toEqual(new Set());
  });

  test('R-10 collect keeps what the caller still uses', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    await addSnapshot(history, 'a');
    const used = sampleTree({ unlinked: long.slice(1) });
    await store.put(used.objects);
    await history.collect([used.id]);
    const ids = used.objects.map(({ id }) => id);
    expect(await store.has(ids)).toEqual(new Set(ids));
  });

  test('a snapshot that misses an object is refused by name, the others are not', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    const a = await addSnapshot(history, 'a');
    const b = await addSnapshot(history, 'b');
    const live = new Set(await history.live());
    const onlyA = sampleTree({ a: new TextEncoder().encode('content of a') }).objects.find(
      ({ bytes }) => bytes[0] === 1,
    );
    live.delete(onlyA?.id as SnapshotId);
    await store.sweep(live);
    expect(await refusal(history.assertRestorable(a))).toMatchObject({
      code: 'missing-object',
      message: `Cannot restore snapshot "${shortId(a)}": object ${shortId(onlyA?.id ?? '')} is missing`,
    });
    await history.assertRestorable(b);
  });

  test('a snapshot whose chunk of a long file is missing is refused too', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    const a = await addSnapshot(history, 'a');
    const chunk = sampleTree({ long }).objects.filter(({ bytes }) => bytes[0] === 1)[3];
    const live = new Set(await history.live());
    live.delete(chunk?.id as SnapshotId);
    await store.sweep(live);
    expect((await refusal(history.assertRestorable(a))).message).toContain(shortId(chunk?.id ?? ''));
  });

  test('a snapshot whose record is lost is listed as damaged, its children keep their place', async () => {
    const store = new MemoryStore();
    const history = History.open(store);
    const a = await addSnapshot(history, 'a');
    const b = await addSnapshot(history, 'b');
    const c = await addSnapshot(history, 'c');
    const live = new Set(await history.live());
    live.delete(b);
    await store.sweep(live);
    const again = History.open(store);
    expect(again.damaged).toEqual([b]);
    expect(again.list().map(({ id }) => id)).toEqual([a, c]);
    expect(again.log()).toEqual([c, b, a]);
    expect(() => again.get(b)).toThrow(`Cannot read snapshot "${shortId(b)}": its record is damaged`);
    await again.forget([b]);
    expect(again.log()).toEqual([c, a]);
  });

  test('refuses to publish a snapshot that relies on objects which are gone', async () => {
    const history = History.open(new MemoryStore());
    const tree = sampleTree({ a: long });
    const objects = tree.objects.filter(({ bytes }) => bytes[0] !== 1);
    expect(await refusal(history.add(sampleRecord(tree.id), { objects }))).toMatchObject({
      code: 'missing-object',
    });
    expect(history.list()).toEqual([]);
    const ids = new Set(tree.objects.map(({ id }) => id));
    const besideImage = History.open(new MemoryStore(), { isElsewhere: (id) => ids.has(id) });
    const id = await besideImage.add(sampleRecord(tree.id), { objects: [] });
    await besideImage.assertRestorable(id);
  });

  test('R-10 retain forgets what is too dense and leaves the log connected', async () => {
    const history = History.open(new MemoryStore());
    const tree = sampleTree({ a: long });
    const nowMs = 1_700_000_000_000;
    for (let n = 0; n < 200; n++) {
      const takenAtMs = nowMs - (200 - n) * 120_000;
      const parents = history.head ? [history.head] : [];
      await history.add(sampleRecord(tree.id, { parents, takenAtMs }), tree);
    }
    const forgotten = await history.retain();
    expect(forgotten.length).toBeGreaterThan(80);
    expect(history.log()).toHaveLength(200 - forgotten.length);
    expect(await history.retain()).toEqual([]);
  });

  test('passes over refs that it did not write', async () => {
    const store = new MemoryStore();
    await store.commit({
      objects: [],
      refs: ['head', 'tag/x', 'snapshot/x', `snapshot/${'0'.repeat(64)}`].map((name) => ({
        name,
        value: 'junk',
      })),
    });
    const history = History.open(store);
    expect([history.head, history.list(), [...history.tags]]).toEqual([undefined, [], []]);
  });
});

describe('export and import', () => {
  async function collectStream(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of stream) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  }

  async function exported(): Promise<{ store: MemoryStore; id: SnapshotId; bytes: Uint8Array }> {
    const store = new MemoryStore();
    const id = await addSnapshot(History.open(store), 'a');
    return { store, id, bytes: await collectStream(exportSnapshot(store, id)) };
  }

  test.each([1, 7, 4_096, 1e9])('B-10 carries a snapshot whole, in pieces of %d bytes', async (length) => {
    const { store, id, bytes } = await exported();
    const target = new MemoryStore();
    const imported = await importObjects(inPieces(bytes, length), target);
    expect(imported).toEqual({ root: id, objectCount: 12, sizeBytes: target.sizeBytes });
    expect(target.sizeBytes).toBe(store.sizeBytes);
  });

  test('leaves out what the other side has', async () => {
    const { store, id, bytes } = await exported();
    const [list] = sampleTree({ long }).objects.filter(({ bytes }) => bytes[0] === 2);
    const exclude = (object: string) => object === list?.id;
    const part = await collectStream(exportSnapshot(store, id, { exclude }));
    expect(part.length).toBeLessThan(bytes.length - long.length);
    const target = new MemoryStore();
    expect((await refusal(importObjects(inPieces(part, 100), target))).code).toBe('missing-object');
    const elsewhere = { has: exclude, read: () => new Uint8Array(0) };
    expect((await importObjects(inPieces(part, 100), target, { elsewhere })).root).toBe(id);
  });

  test('H-9 refuses every cut, and never accepts an altered byte of an object', async () => {
    const { bytes } = await exported();
    const cuts = fc.record({ at: fc.nat({ max: bytes.length - 1 }), mask: fc.integer({ min: 1, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(cuts, async ({ at, mask }) => {
        const cut = await refusal(importObjects(inPieces(bytes.subarray(0, at), 5_000), new MemoryStore()));
        expect(cut.code).toBe('invalid-argument');
        const altered = bytes.slice();
        altered[at] = (altered[at] ?? 0) ^ mask;
        const refused = await refusal(importObjects(inPieces(altered, 5_000), new MemoryStore()));
        expect(['invalid-argument', 'limit-exceeded', 'missing-object']).toContain(refused.code);
      }),
      { numRuns: 60 },
    );
  });

  test('H-9 refuses an object that nothing refers to', async () => {
    const { bytes } = await exported();
    const stray = new Uint8Array([6, 0, 0, 0, 1, 1, 2, 3, 4, 5, 0, 0, 0, 0]);
    const stuffed = Buffer.concat([bytes.subarray(0, bytes.length - 4), stray]);
    const refused = await refusal(importObjects(inPieces(stuffed, 999), new MemoryStore()));
    expect(refused.message).toContain('nothing refers to it');
  });

  test('names the snapshot that cannot be exported', async () => {
    const { store, id } = await exported();
    await store.sweep(new Set([id]));
    const refused = await refusal(collectStream(exportSnapshot(store, id)));
    expect(refused.message).toMatch(
      new RegExp(`^Cannot export snapshot "${shortId(id)}": object .* missing$`),
    );
  });
});
