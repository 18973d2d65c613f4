import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import type { GuestRam } from './guest-ram.ts';
import type { LiveCpu } from './live-internals.ts';
import { watchDeviceWrites } from './watch-devices.ts';
import type { ModuleMarks } from './watch-writes.ts';

/** Knows which pages of a machine's RAM may have been written since it was last asked to forget. */
export interface WrittenPages {
  /**
   * Address of a byte for each page, in the machine's memory: 0 where it was not written; a page that nobody wrote may
   * have a mark, none is left out. Valid until the machine runs on.
   */
  marks(): number;
  /** From now on, nothing has been written; of these pages, when there are any. */
  forget(pages?: Uint32Array): void;
}

/** By the marks that a watched module leaves, at a cost that follows what was written. */
export class MarkedPages implements WrittenPages {
  readonly #cpu: LiveCpu;
  readonly #ram: GuestRam;
  /** Address of the mark of the first page of RAM. */
  readonly #marksAt: number;

  /** `written`: pages that count as such already: all that may not be zero, where nothing is known of it. */
  constructor(
    cpu: LiveCpu,
    { ram, marks, written = [] }: { ram: GuestRam; marks: ModuleMarks; written?: Iterable<number> },
  ) {
    this.#cpu = cpu;
    this.#ram = ram;
    this.#marksAt = marks.marksAt + ram.offset / pageBytes;
    new Uint32Array(ram.memory, marks.ramAt, 1)[0] = ram.offset;
    watchDeviceWrites(cpu, (address, sizeBytes) => {
      const known = this.#marks();
      const last = (address + sizeBytes - 1) >>> 12;
      for (let page = address >>> 12; page <= last && page < known.length; page++) known[page] = 1;
    });
    this.forget();
    this.note(written);
  }

  /** These count as written, too. */
  note(pages: Iterable<number>): void {
    const marks = this.#marks();
    for (const page of pages) marks[page] = 1;
  }

  /** Numbers of pages with a mark, ascending. */
  list(): Uint32Array {
    const found: number[] = [];
    for (const [page, mark] of this.#marks().entries()) if (mark !== 0) found.push(page);
    return Uint32Array.from(found);
  }

  marks(): number {
    return this.#marksAt;
  }

  forget(pages?: Uint32Array): void {
    const marks = this.#marks();
    if (pages) for (const page of pages) marks[page] = 0;
    else marks.fill(0);
    // The first write to each page has to go by the page walk again.
    this.#cpu.full_clear_tlb();
  }

  #marks(): Uint8Array {
    return new Uint8Array(this.#ram.memory, this.#marksAt, this.#ram.pages);
  }
}
