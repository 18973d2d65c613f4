import { describe, expect, test } from 'vitest';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { sampleObject } from './sample-objects.ts';

export interface SandboxStoreSubject {
  readonly name: string;
  /** A new, empty store. */
  create(): Promise<SandboxStore>;
  /** Lets go of `store` and opens what it left; absent where nothing lasts. */
  readonly reopen?: (store: SandboxStore) => Promise<SandboxStore>;
}

/** What every `SandboxStore` does beyond `ObjectStore`. */
export function sandboxStoreSuite(subject: SandboxStoreSubject): void {
  describe(`SandboxStore: ${subject.name}`, () => {
    const [a, b] = [sampleObject(1), sampleObject(2, 5_000)];

    test('H-4 a commit makes objects and refs visible together', async () => {
      await using store = await subject.create();
      await store.commit({ objects: [a, b], refs: [{ name: 'head', value: a.id }] });
      expect(store.ref('head')).toBe(a.id);
      expect(store.readSync(b.id)).toEqual(b.bytes);
      expect(store.sizeOf(b.id)).toBe(b.bytes.length);
      expect(store.sizeOf(sampleObject(9).id)).toBe(0);
      expect(store.sizeBytes).toBeGreaterThanOrEqual(a.bytes.length + b.bytes.length);
    });

    test('R-4 refs can be replaced, deleted, and listed by prefix in order', async () => {
      await using store = await subject.create();
      const set = (name: string, value: string | undefined) =>
        store.commit({ objects: [], refs: [{ name, value }] });
      await set('tag/b', '1');
      await set('tag/a', '2');
      await set('head', '3');
      await set('tag/b', '4');
      expect(store.refs('tag/')).toEqual([
        ['tag/a', '2'],
        ['tag/b', '4'],
      ]);
      await set('tag/a', undefined);
      await set('never', undefined);
      expect(store.refs('')).toEqual([
        ['head', '3'],
        ['tag/b', '4'],
      ]);
    });

    test('the last change wins when a commit names a ref twice', async () => {
      await using store = await subject.create();
      await store.commit({
        objects: [],
        refs: [
          { name: 'head', value: '1' },
          { name: 'head', value: '2' },
        ],
      });
      expect(store.ref('head')).toBe('2');
    });

    test('commits that are started together all count, in order', async () => {
      await using store = await subject.create();
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          store.commit({ objects: [sampleObject(n)], refs: [{ name: 'head', value: String(n) }] }),
        ),
      );
      expect(store.ref('head')).toBe('19');
      expect(store.readSync(sampleObject(7).id)).toEqual(sampleObject(7).bytes);
    });

    test('refuses a ref that is too long and then saves nothing of that commit', async () => {
      await using store = await subject.create();
      const refs = [{ name: 'n'.repeat(257), value: 'x' }];
      await expect(store.commit({ objects: [a], refs })).rejects.toThrow(RangeError);
      expect(store.readSync(a.id)).toBeUndefined();
    });

    test('R-10 sweep keeps refs, and what is committed while it runs', async () => {
      await using store = await subject.create();
      const [dead, late] = [sampleObject(3, 9_000), sampleObject(4, 9_000)];
      await store.commit({ objects: [a, b, dead], refs: [{ name: 'head', value: a.id }] });
      const swept = store.sweep(new Set([a.id]));
      // `b` is there, so this put is free; the sweep that runs must not undo it.
      const commit = store.commit({ objects: [b, late], refs: [{ name: 'late', value: late.id }] });
      await Promise.all([swept, commit]);
      expect(store.refs('')).toEqual([
        ['head', a.id],
        ['late', late.id],
      ]);
      for (const { id, bytes } of [a, b, late]) expect(store.readSync(id)).toEqual(bytes);
      expect(store.readSync(dead.id)).toBeUndefined();
    });

    test('R-10 knows what a sweep left, however much came since', async () => {
      await using store = await subject.create();
      await store.commit({ objects: [a, b], refs: [{ name: 'head', value: a.id }] });
      expect(store.sweptBytes).toBeLessThanOrEqual(store.sizeBytes);
      await store.sweep(new Set([a.id]));
      const left = store.sizeBytes;
      await store.put([sampleObject(3, 9_000)]);
      expect(store.sweptBytes).toBe(left);
      expect(store.sizeBytes).toBeGreaterThan(left);
    });

    test('is closed once and refuses everything after', async () => {
      const store = await subject.create();
      await store.close();
      await store.close();
      await expect(store.get(a.id)).rejects.toThrow('closed');
      await expect(store.put([a])).rejects.toThrow('closed');
      expect(() => store.ref('head')).toThrow('closed');
    });

    const { reopen } = subject;
    if (reopen === undefined) return;

    test('H-4 objects and refs are as they were left after reopening, a sweep in between', async () => {
      let store = await subject.create();
      await store.commit({ objects: [a, b], refs: [{ name: 'head', value: a.id }] });
      await store.commit({
        objects: [],
        refs: [
          { name: 'head', value: b.id },
          { name: 'größe', value: '\u{1f333}' },
        ],
      });
      store = await reopen(store);
      expect(store.ref('head')).toBe(b.id);
      await store.sweep(new Set([b.id]));
      await store.commit({ objects: [sampleObject(5)], refs: [{ name: 'größe', value: undefined }] });
      store = await reopen(store);
      expect(store.refs('')).toEqual([['head', b.id]]);
      expect(store.readSync(b.id)).toEqual(b.bytes);
      expect(store.readSync(a.id)).toBeUndefined();
      expect(store.readSync(sampleObject(5).id)).toEqual(sampleObject(5).bytes);
      await store.close();
    });
  });
}
