import { expect, test } from 'vitest';
import { pageBytes } from './guest-ram.ts';
import { PageStore } from './page-store.ts';
import { PageTable } from './page-table.ts';

const page = (value: number): Uint8Array => new Uint8Array(pageBytes).fill(value);
const tableOf = (...ids: number[]): PageTable =>
  PageTable.empty.with(Uint32Array.from(ids.keys()), Uint32Array.from(ids));

test('pages of tables that are kept stay, whatever is let go of and put after that', () => {
  const store = new PageStore();
  const first = Array.from({ length: 1_000 }, (_, value) => store.put(page(value % 251)));
  const kept = first.filter((_, index) => index % 7 === 0);
  store.keepOnly([tableOf(...kept.slice(0, 70)), tableOf(...kept.slice(70))]);
  const later = Array.from({ length: 500 }, () => store.put(page(255)));
  expect(new Set([...kept, ...later]).size).toBe(kept.length + later.length);
  for (const [index, id] of kept.entries()) expect(store.get(id)[17]).toBe((index * 7) % 251);
  expect(store.get(0)).toEqual(page(0));
  expect(() => store.get(5_000)).toThrow(RangeError);
});

test('memory that nothing needs is given back', () => {
  const store = new PageStore();
  const ids = Array.from({ length: 2_000 }, () => store.put(page(1)));
  const before = store.usedBytes;
  store.keepOnly([tableOf(...ids.slice(0, 10))]);
  expect([before, store.usedBytes]).toEqual([8 * 2 ** 20, 2 ** 20]);
  for (const id of ids.slice(10)) expect(store.put(page(2))).toBeLessThanOrEqual(id);
});
