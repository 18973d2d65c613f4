import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { twinKernels } from '../../../wasm/pages/twin.ts';
import type { GrowingMemory } from './page-arena.ts';
import { PageStore } from './page-store.ts';
import { PageTable } from './page-table.ts';

const ramPages = 12;
const states = 0;
const ram = pageBytes;

/** Memory that is long enough from the beginning: the twins do not see it grow. */
class LongMemory implements GrowingMemory {
  readonly buffer: ArrayBuffer = new ArrayBuffer(48 * 2 ** 20);
  #pages = 2;
  grow(pages: number): number {
    const before = this.#pages;
    this.#pages += pages;
    if (this.#pages * 65_536 > this.buffer.byteLength)
      throw new RangeError('The memory of this test is full');
    return before;
  }
}

class Lab {
  readonly memory = new LongMemory();
  readonly bytes: Uint8Array = new Uint8Array(this.memory.buffer);
  readonly store = new PageStore(this.memory, twinKernels(this.memory.buffer), { ram });
  table: PageTable = PageTable.empty;

  /** Changes bytes of RAM, as a guest that is watched does, and takes the pages that they are in. */
  take(changes: readonly { page: number; at: number; value: number }[]): {
    table: PageTable;
    ram: Uint8Array;
  } {
    this.bytes.fill(0, states, ramPages);
    for (const { page, at, value } of changes) {
      this.store.unshare(page);
      this.bytes[ram + page * pageBytes + at] = value;
      this.bytes[states + page] = 1;
    }
    const pages = this.store.written({ states, pages: ramPages });
    this.table = this.table.with(pages, this.store.take(pages, this.table));
    return { table: this.table, ram: this.bytes.slice(ram, ram + ramPages * pageBytes) };
  }
}

function holds({ store }: Lab, { table, ram }: { table: PageTable; ram: Uint8Array }): boolean {
  return Array.from({ length: ramPages }, (_, page) =>
    Buffer.from(store.view(table.get(page))).equals(ram.subarray(page * pageBytes, (page + 1) * pageBytes)),
  ).every(Boolean);
}

const place = fc.record({ page: fc.nat(ramPages - 1), at: fc.nat(pageBytes - 1), value: fc.nat(3) });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('take' as const), changes: fc.array(place, { maxLength: 30 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      most: fc.integer({ min: 1, max: 20 }),
      all: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('forget' as const), every: fc.integer({ min: 2, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('goBack' as const), to: fc.nat(100) }) },
);

test('every image that is kept is what was taken, whatever was settled, forgotten and gone back to', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const lab = new Lab();
      let images: ReturnType<Lab['take']>[] = [];
      for (const one of steps) {
        if (one.type === 'take') images.push(lab.take(one.changes));
        if (one.type === 'settle') lab.store.settle(one.most, { all: one.all });
        if (one.type === 'forget') {
          images = images.filter((_, index) => index % one.every === 0);
          lab.store.keepOnly([lab.table, ...images.map(({ table }) => table)]);
        }
        const back = one.type === 'goBack' ? images[one.to % Math.max(1, images.length)] : undefined;
        if (back) {
          lab.store.putBack(Uint32Array.from(Array(ramPages).keys()), back.table);
          expect(Buffer.from(back.ram).equals(lab.bytes.subarray(ram, ram + back.ram.length))).toBe(true);
          lab.table = back.table;
        }
        for (const image of images) expect(holds(lab, image)).toBe(true);
      }
      lab.store.settle(Number.POSITIVE_INFINITY, { all: true });
      for (const image of images) expect(holds(lab, image)).toBe(true);
      lab.store.keepOnly([]);
      // What is left is the scratch: nothing was lost on the way.
      expect(lab.store.usedBytes).toBeLessThan(5 * pageBytes + 100_000);
    }),
    { numRuns: 40 },
  );
});

test('equal pages are kept once, and changes as what differs', () => {
  const lab = new Lab();
  const noise = Array.from({ length: pageBytes }, (_, at) => ({ page: 0, at, value: (at * 7919) >> 3 }));
  lab.take(noise);
  lab.store.settle(1_000, { all: true });
  const before = lab.store.usedBytes;
  lab.take(noise.map((change) => ({ ...change, page: 1 })));
  lab.store.settle(1_000, { all: true });
  const same = lab.store.usedBytes - before;
  const { table } = lab.take([{ page: 0, at: 100, value: 1 }]);
  lab.store.settle(1_000, { all: true });
  expect(same).toBeLessThan(100);
  expect(lab.store.usedBytes - before).toBeLessThan(200);
  expect(lab.store.isSame(table.get(0), table.get(1))).toBe(false);
  expect(() => lab.store.view(77_777)).toThrow(RangeError);
});
