import { describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../tree/objects/object-store.ts';
import { sampleObject } from './sample-objects.ts';

export interface ObjectStoreSubject {
  readonly name: string;
  /** A new, empty store. */
  create(): Promise<ObjectStore>;
  /** Lets go of `store` and opens what it left; absent where nothing lasts. */
  readonly reopen?: (store: ObjectStore) => Promise<ObjectStore>;
}

/** What every `ObjectStore` does (DESIGN.md, Contracts). */
export function objectStoreSuite(subject: ObjectStoreSubject): void {
  describe(`ObjectStore: ${subject.name}`, () => {
    const [a, b, c] = [sampleObject(1), sampleObject(2, 40_000), sampleObject(3, 0)];

    test('B-3 gives back what was put, whatever its length', async () => {
      await using store = await subject.create();
      await store.put([a, b, c]);
      expect(await store.get(a.id)).toEqual(a.bytes);
      expect(await store.get(b.id)).toEqual(b.bytes);
      expect(await store.get(c.id)).toEqual(c.bytes);
    });

    test('answers undefined for an absent object and has() only what is present', async () => {
      await using store = await subject.create();
      await store.put([a]);
      expect(await store.get(b.id)).toBeUndefined();
      expect(await store.has([a.id, b.id])).toEqual(new Set([a.id]));
    });

    test('keeps its own copy: neither what was put nor what was got is shared', async () => {
      await using store = await subject.create();
      const mine = a.bytes.slice();
      await store.put([{ id: a.id, bytes: mine }]);
      mine.fill(0);
      (await store.get(a.id))?.fill(0);
      expect(await store.get(a.id)).toEqual(a.bytes);
    });

    test('takes a view into a larger buffer and the same object twice', async () => {
      await using store = await subject.create();
      const buffer = new Uint8Array(a.bytes.length + 3);
      buffer.set(a.bytes, 3);
      const view = { id: a.id, bytes: buffer.subarray(3) };
      await store.put([view, view]);
      await store.put([view]);
      expect(await store.get(a.id)).toEqual(a.bytes);
    });

    test('R-10 sweep forgets what is not live and nothing else', async () => {
      await using store = await subject.create();
      await store.put([a, b, c]);
      const freed = await store.sweep(new Set([a.id, c.id]));
      // A log spends a few bytes on saying what it kept.
      expect(freed).toBeGreaterThan(0.99 * b.bytes.length);
      expect(await store.has([a.id, b.id, c.id])).toEqual(new Set([a.id, c.id]));
      expect(await store.get(a.id)).toEqual(a.bytes);
      await store.put([b]);
      expect(await store.get(b.id)).toEqual(b.bytes);
    });

    test('R-10 sweep of a store without garbage frees nothing', async () => {
      await using store = await subject.create();
      await store.put([a]);
      expect(await store.sweep(new Set([a.id, b.id]))).toBe(0);
      expect(await store.get(a.id)).toEqual(a.bytes);
    });

    const { reopen } = subject;
    if (reopen === undefined) return;

    test('H-4 everything put is there after reopening, everything swept is not', async () => {
      let store = await subject.create();
      const many = Array.from({ length: 300 }, (_, seed) => sampleObject(seed, seed * 7));
      await store.put(many.slice(0, 100));
      await store.put(many.slice(100));
      store = await reopen(store);
      for (const { id, bytes } of many) expect(await store.get(id)).toEqual(bytes);
      await store.sweep(new Set(many.slice(50).map(({ id }) => id)));
      store = await reopen(store);
      expect(await store.has(many.map(({ id }) => id))).toEqual(new Set(many.slice(50).map(({ id }) => id)));
      for (const { id, bytes } of many.slice(50)) expect(await store.get(id)).toEqual(bytes);
      await store[Symbol.asyncDispose]();
    });
  });
}
