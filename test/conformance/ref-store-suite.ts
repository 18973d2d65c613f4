import { describe, expect, test } from 'vitest';
import type { RefStore } from '../../tree/objects/object-store.ts';

export interface RefStoreSubject {
  readonly name: string;
  /** A new, empty store. */
  create(): Promise<RefStore>;
  /** Lets go of `store` and opens what it left; absent where nothing lasts. */
  readonly reopen?: (store: RefStore) => Promise<RefStore>;
}

/** What every `RefStore` does (DESIGN.md, Contracts). */
export function refStoreSuite(subject: RefStoreSubject): void {
  describe(`RefStore: ${subject.name}`, () => {
    test('R-4 sets, replaces and deletes a ref whose value is as expected', async () => {
      const refs = await subject.create();
      expect(await refs.compareAndSwap('head', undefined, 'one')).toBe(true);
      expect(await refs.compareAndSwap('head', 'one', 'two')).toBe(true);
      expect(await refs.get('head')).toBe('two');
      expect(await refs.compareAndSwap('head', 'two', undefined)).toBe(true);
      expect(await refs.get('head')).toBeUndefined();
    });

    test('R-4 changes nothing when the value is another', async () => {
      const refs = await subject.create();
      await refs.compareAndSwap('head', undefined, 'one');
      expect(await refs.compareAndSwap('head', undefined, 'two')).toBe(false);
      expect(await refs.compareAndSwap('head', 'three', undefined)).toBe(false);
      expect(await refs.get('head')).toBe('one');
    });

    test('lets exactly one of many competing writers win', async () => {
      const refs = await subject.create();
      const wins = await Promise.all(
        Array.from({ length: 20 }, (_, writer) => refs.compareAndSwap('head', undefined, `writer ${writer}`)),
      );
      expect(wins.filter(Boolean)).toHaveLength(1);
      expect(await refs.get('head')).toBe(`writer ${wins.indexOf(true)}`);
    });

    test('lists by prefix, sorted by name', async () => {
      const refs = await subject.create();
      for (const name of ['tag/b', 'tag/a', 'tag', 'tagged', 'head']) {
        await refs.compareAndSwap(name, undefined, `to ${name}`);
      }
      expect(await refs.list('tag/')).toEqual([
        ['tag/a', 'to tag/a'],
        ['tag/b', 'to tag/b'],
      ]);
      expect((await refs.list('')).map(([name]) => name)).toEqual([
        'head',
        'tag',
        'tag/a',
        'tag/b',
        'tagged',
      ]);
    });

    test('H-9 a name or value is only text: __proto__, quotes, any Unicode', async () => {
      const refs = await subject.create();
      const values = ['__proto__', '"; DROP', 'größe/ ', '\u{1f333}\uffff'];
      for (const value of values) await refs.compareAndSwap(value, undefined, value);
      for (const value of values) expect(await refs.get(value)).toBe(value);
      expect(await refs.get('constructor')).toBeUndefined();
    });

    test('refuses a name or value that is too long', async () => {
      const refs = await subject.create();
      await expect(refs.compareAndSwap('', undefined, 'x')).rejects.toThrow(RangeError);
      await expect(refs.compareAndSwap('n'.repeat(257), undefined, 'x')).rejects.toThrow(RangeError);
      await expect(refs.compareAndSwap('n', undefined, 'x'.repeat(4_097))).rejects.toThrow(RangeError);
      expect(await refs.list('')).toEqual([]);
    });

    const { reopen } = subject;
    if (reopen === undefined) return;

    test('H-4 refs are as they were left after reopening', async () => {
      const refs = await subject.create();
      await refs.compareAndSwap('head', undefined, 'one');
      await refs.compareAndSwap('gone', undefined, 'x');
      await refs.compareAndSwap('gone', 'x', undefined);
      expect(await (await reopen(refs)).list('')).toEqual([['head', 'one']]);
    });
  });
}
