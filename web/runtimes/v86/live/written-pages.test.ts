import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import { GuestRam } from './guest-ram.ts';
import type { LiveCpu } from './live-internals.ts';
import { MarkedPages } from './written-pages.ts';

const pages = 16;
const marks = { marksAt: 64, ramAt: 0, absentAt: 8, faultAt: 4 };

/** A stand-in for a processor that marks a page at the first write since its TLB was cleared, as a watched module does. */
class MarkingCpu {
  readonly wasm_memory: WebAssembly.Memory = new WebAssembly.Memory({ initial: 4 });
  readonly mem8 = new Uint8Array(this.wasm_memory.buffer, 2 * 65_536, pages * pageBytes);
  readonly #tlb = new Set<number>();

  full_clear_tlb(): void {
    this.#tlb.clear();
  }

  write(page: number): void {
    if (this.#tlb.has(page)) return;
    this.#tlb.add(page);
    new Uint8Array(this.wasm_memory.buffer, marks.marksAt + this.mem8.byteOffset / pageBytes)[page] = 1;
  }
}

test('a page is listed from the first write to it since it was forgotten, whichever were forgotten in between', () => {
  const somePages = fc.uniqueArray(fc.nat(pages - 1));
  const step = fc.oneof(
    somePages.map((written) => ({ written })),
    somePages.map((forgotten) => ({ forgotten })),
    fc.constant({}),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const cpu = new MarkingCpu();
      const live = cpu as unknown as LiveCpu;
      const found = new MarkedPages(live, { ram: new GuestRam(live), marks });
      const expected = new Set<number>();
      for (const { written, forgotten } of steps as { written?: number[]; forgotten?: number[] }[]) {
        for (const page of written ?? []) cpu.write(page);
        for (const page of written ?? []) expected.add(page);
        if (written) continue;
        found.forget(forgotten && Uint32Array.from(forgotten));
        if (!forgotten) expected.clear();
        for (const page of forgotten ?? []) expected.delete(page);
        expect([...found.list()]).toEqual([...expected].sort((a, b) => a - b));
      }
      expect([...found.list()]).toEqual([...expected].sort((a, b) => a - b));
    }),
  );
});
