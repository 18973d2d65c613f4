import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PageTable, zeroPage } from './page-table.ts';

const pages = 70_000;
const change = fc.record({
  /** Which of the tables so far it begins with. */
  from: fc.nat(),
  pages: fc.uniqueArray(fc.nat({ max: pages - 1 }), { maxLength: 40 }),
  firstId: fc.integer({ min: 1, max: 1000 }),
});

describe('a table of pages', () => {
  test('is a value: what is made of one changes no other, and two differ where their pages do', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
        const tables = [{ table: PageTable.empty, model: new Map<number, number>() }];
        for (const { from, pages: changed, firstId } of changes) {
          const before = tables[from % tables.length];
          if (!before) continue;
          const ids = changed.map((_, index) => firstId + index);
          const table = before.table.with(Uint32Array.from(changed), Uint32Array.from(ids));
          const model = new Map([
            ...before.model,
            ...changed.map((page, index) => [page, ids[index] ?? 0] as const),
          ]);
          tables.push({ table, model });
        }
        const last = tables.at(-1);
        for (const { table, model } of tables) {
          for (const [page, id] of model) expect(table.get(page)).toBe(id);
          const found: [number, number, number][] = [];
          last?.table.compare(table, (...difference) => found.push(difference));
          const touched = [...new Set([...model.keys(), ...(last?.model.keys() ?? [])])].sort(
            (a, b) => a - b,
          );
          const ids = touched.map((page) => [
            page,
            last?.model.get(page) ?? zeroPage,
            model.get(page) ?? zeroPage,
          ]);
          expect(found).toEqual(ids.filter(([, here, there]) => here !== there));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('of pages that were never put there is one of zeros', () => {
    expect(PageTable.empty.get(0)).toBe(zeroPage);
    expect(PageTable.empty.get(pages)).toBe(zeroPage);
  });
});
