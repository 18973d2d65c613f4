import type { ModuleMarks } from '../../../runtimes/v86/live/page-states.ts';
import { pageStates } from '../../../runtimes/v86/live/page-states.ts';
import type { GuestParts } from '../../machine/live/open-guest.ts';

const pageBytes = 4096;

interface V86Exports {
  readonly memory: WebAssembly.Memory;
  /** Answers where RAM is. */
  allocate_memory(sizeBytes: number): number;
  /** What v86 does last when it was put at a state. */
  full_clear_tlb(): void;
  /** Runs the guest for a while; answers for how many milliseconds it has nothing to do. */
  main_loop(): number;
}

interface V86Imports {
  readonly env: { readonly __indirect_function_table: WebAssembly.Table };
}

/** All of RAM at an instant, page by page; pages that are equal to the last ones are shared with these. */
export type RamCopy = readonly Buffer[];

/**
 * Reads all of a guest's RAM where v86 has it, past everything that says which pages were written:
 * what the soak holds against the machine.
 */
export class RamWitness {
  /** The parts of a guest that is to be watched: to be opened with these, once. */
  readonly parts: GuestParts;
  #memory: WebAssembly.Memory | undefined;
  #table: WebAssembly.Table | undefined;
  /** Of RAM, in it. */
  #start = 0;
  #last: readonly Buffer[] = [];

  /** `onPlaced`: called whenever RAM was put in place before the guest runs, and init is told anything. */
  constructor(parts: GuestParts, { onPlaced = () => {} } = {}) {
    const { instantiate } = parts.watched;
    const watched = {
      ...parts.watched,
      instantiate: async (imports: object) => {
        this.#table = (imports as V86Imports).env.__indirect_function_table;
        const exports = (await instantiate(imports)) as V86Exports;
        this.#memory = exports.memory;
        const allocate_memory = (sizeBytes: number) => {
          this.#start = exports.allocate_memory(sizeBytes);
          return this.#start;
        };
        let hasRun = false;
        const full_clear_tlb = () => {
          exports.full_clear_tlb();
          if (!hasRun) onPlaced();
        };
        const main_loop = () => {
          hasRun = true;
          return exports.main_loop();
        };
        return { ...exports, allocate_memory, full_clear_tlb, main_loop };
      },
    };
    this.parts = { ...parts, watched };
  }

  copy(): RamCopy {
    this.#touchAll();
    const ram = this.#ram();
    const last = this.#last;
    const pages: Buffer[] = [];
    for (let at = 0; at < ram.length; at += pageBytes) {
      const [page, before] = [ram.subarray(at, at + pageBytes), last[pages.length]];
      pages.push(before?.equals(page) ? before : Buffer.from(page));
    }
    this.#last = pages;
    return pages;
  }

  /** How many pages are not there yet. */
  countAbsent(): number {
    return this.#states().filter((byte) => byte === pageStates.late).length;
  }

  /** Looks as the guest would at every page that comes late, so that all are there. */
  #touchAll(): void {
    const { guardAt } = this.#marks();
    const [index = 0] = new Uint32Array(this.#ram().buffer, guardAt, 1);
    const look = this.#table?.get(index) as (page: number) => void;
    for (const [page, byte] of this.#states().entries())
      if (byte === pageStates.late) look(this.#start / pageBytes + page);
  }

  #states(): Uint8Array {
    const { buffer, length } = this.#ram();
    return new Uint8Array(buffer, this.#marks().statesAt + this.#start / pageBytes, length / pageBytes);
  }

  #marks(): ModuleMarks {
    const { marks } = this.parts.watched;
    if (!marks) throw new Error('The guest is not watched');
    return marks;
  }

  /** How many bytes of RAM are not those of the copy. */
  countDiffering(copy: RamCopy): number {
    this.#touchAll();
    const ram = this.#ram();
    let count = 0;
    for (const [number, expected] of copy.entries()) {
      const page = ram.subarray(number * pageBytes, (number + 1) * pageBytes);
      if (!expected.equals(page)) count += page.filter((byte, at) => byte !== expected[at]).length;
    }
    return count;
  }

  #ram(): Buffer {
    if (!this.#memory) throw new Error('No guest was opened with these parts');
    return Buffer.from(this.#memory.buffer, this.#start, this.parts.memoryMiB * 1024 * 1024);
  }
}
