import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { GuestRam } from './guest-ram.ts';
import type { LiveCpu } from './live-internals.ts';
import { watchDeviceReads, watchDeviceWrites } from './watch-devices.ts';

/** What is known of a page of RAM, as its byte says. From `late` on it is guarded: who looks at it asks first. */
export const pageStates = {
  /** As it was when all was last known. */
  known: 0,
  /** Perhaps another: what `watchWrites` notes, and the page kernels list. */
  written: 1,
  /** Not there yet. */
  late: 2,
  /** As it was when an image was taken, which has no copy of it yet. */
  shared: 3,
} as const;
type GuardedState = typeof pageStates.late | typeof pageStates.shared;

/** Where a watched module keeps what it knows of pages, in its memory. */
export interface ModuleMarks {
  /** Address of `pageStates`: a byte for each 4 KiB page of the module's memory, by its address in that memory. */
  readonly statesAt: number;
  /** Address of a 32-bit word: where the guest's RAM begins in that memory, to be written once it is known. */
  readonly ramAt: number;
  /**
   * Address of a 32-bit word: 0, or the index in the module's table of who is called with the number of a guarded page,
   * by its address in that memory, before the guest looks at it.
   */
  readonly guardAt: number;
}

/** Address of CR4 in v86 0.5.462 (`src/rust/cpu/global_pointers.rs`), and its bit for PAE. */
const cr4At = 596;
const paeBit = 1 << 5;

/** Called with the number of a page before anybody looks at it; it is not guarded any more. */
type BeforeLook = (page: number) => void;

/** Knows which pages of a machine's RAM may have been written. */
export interface WrittenPages {
  /**
   * Address of a byte for each page, in the machine's memory: `written` where it may have been, which none is left out
   * of. Valid until the machine runs on.
   */
  states(): number;
  /** These are known now. */
  forget(pages: Uint32Array): void;
}

/**
 * The states of pages that a watched module keeps, at a cost that follows what was written. The guest asks and notes
 * from when its TLB was cleared: at the first look at a page, and at the first write to it.
 */
export class PageStates implements WrittenPages {
  /** Told once, where what was to be done before a look has failed: the guest, or an image of it, is worth nothing now. */
  onDamage: (cause: unknown) => void = () => {};
  readonly #cpu: LiveCpu;
  readonly #ram: GuestRam;
  readonly #marks: ModuleMarks;
  /** Of who is called for a guarded page, in the table of the module. */
  readonly #index: number;
  readonly #beforeLook: (BeforeLook | undefined)[] = [];
  #bytes: Uint8Array;
  /** Of pages that are guarded. */
  #guarded = 0;
  #isDamaged = false;

  /**
   * `table`: of functions, that the module was instantiated with. `written`: pages that count as such already, which
   * are all that may not be zero, where nothing is known of RAM.
   */
  constructor(
    cpu: LiveCpu,
    {
      ram,
      marks,
      table,
      written = [],
    }: { ram: GuestRam; marks: ModuleMarks; table: WebAssembly.Table; written?: Iterable<number> },
  ) {
    this.#cpu = cpu;
    this.#ram = ram;
    this.#marks = marks;
    this.#bytes = this.#view();
    const firstPage = ram.offset / pageBytes;
    this.#index = table.grow(1);
    table.set(
      this.#index,
      asTableFunction((page) => this.#look(page - firstPage)),
    );
    this.#word(marks.ramAt)[0] = ram.offset;
    watchDeviceReads(cpu, (address, sizeBytes) => this.#lookAt(address, sizeBytes));
    watchDeviceWrites(cpu, (address, sizeBytes) => {
      this.#lookAt(address, sizeBytes);
      this.#current().fill(pageStates.written, address >>> 12, ((address + sizeBytes - 1) >>> 12) + 1);
    });
    this.#current().fill(pageStates.known);
    this.note(written);
    cpu.full_clear_tlb();
  }

  /** These count as written, too. */
  note(pages: Iterable<number>): void {
    for (const page of pages) {
      this.#look(page);
      this.#current()[page] = pageStates.written;
    }
  }

  /** Numbers of pages that count as written, ascending. */
  list(): Uint32Array {
    const found: number[] = [];
    for (const [page, state] of this.#current().entries()) if (state === pageStates.written) found.push(page);
    return Uint32Array.from(found);
  }

  states(): number {
    return this.#marks.statesAt + this.#ram.offset / pageBytes;
  }

  forget(pages: Uint32Array): void {
    const bytes = this.#current();
    for (const page of pages) if (bytes[page] === pageStates.written) bytes[page] = pageStates.known;
    this.#cpu.full_clear_tlb();
  }

  /** Whether guards are asked: walks by tables of PAE do not, which no kernel of ours has. */
  get areAsked(): boolean {
    return (this.#word(cr4At)[0] & paeBit) === 0;
  }

  /** The guard of pages in a state, of which there is one. */
  guard(state: GuardedState, beforeLook: BeforeLook): PageGuard {
    this.#beforeLook[state] = beforeLook;
    return {
      has: (page) => this.#current()[page] === state,
      set: (pages) => this.#guard(pages, state),
      clear: (page) => {
        if (this.#current()[page] === state) this.#clear(page);
      },
      look: (page) => {
        if (this.#current()[page] === state) this.#look(page);
      },
    };
  }

  #guard(pages: Uint32Array, state: GuardedState): void {
    for (const page of pages) this.#look(page);
    const bytes = this.#current();
    for (const page of pages) bytes[page] = state;
    this.#count(pages.length);
    this.#cpu.full_clear_tlb();
  }

  #clear(page: number): void {
    this.#current()[page] = pageStates.known;
    this.#count(-1);
  }

  /** While none is guarded, page walks need not ask. */
  #count(more: number): void {
    this.#guarded += more;
    this.#word(this.#marks.guardAt)[0] = this.#guarded > 0 ? this.#index : 0;
  }

  #lookAt(address: number, sizeBytes: number): void {
    if (this.#guarded === 0) return;
    const last = Math.min((address + sizeBytes - 1) >>> 12, this.#ram.pages - 1);
    for (let page = address >>> 12; page <= last; page++) this.#look(page);
  }

  /** Somebody is about to look at a page; nothing happens for one that is not guarded. */
  #look(page: number): void {
    const state = this.#current()[page] ?? pageStates.known;
    if (state <= pageStates.written) return;
    this.#clear(page);
    try {
      this.#beforeLook[state]?.(page);
    } catch (cause) {
      if (!this.#isDamaged) this.onDamage(cause);
      this.#isDamaged = true;
    }
  }

  #current(): Uint8Array {
    if (this.#bytes.buffer !== this.#ram.memory) this.#bytes = this.#view();
    return this.#bytes;
  }

  #view(): Uint8Array {
    return new Uint8Array(this.#ram.memory, this.states(), this.#ram.pages);
  }

  #word(address: number): Uint32Array & { 0: number } {
    return new Uint32Array(this.#ram.memory, address, 1) as Uint32Array & { 0: number };
  }
}

/** Has something done for pages before somebody looks at them. */
export interface PageGuard {
  has(page: number): boolean;
  /** Guards pages, each named once. One that is guarded already is looked at first. */
  set(pages: Uint32Array): void;
  /** A page is as it was, and nobody need ask. */
  clear(page: number): void;
  /** Somebody is about to look at a page; nothing happens for one that this does not guard. */
  look(page: number): void;
}

/** A module that exports what it imports, `e.f`: tables hold functions of WebAssembly only. */
const passOn = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 1, 0x7f, 0], // One type: a number, no answer.
  ...[2, 7, 1, 1, 0x65, 1, 0x66, 0, 0],
  ...[7, 5, 1, 1, 0x66, 0, 0],
);

function asTableFunction(f: BeforeLook): WebAssembly.ExportValue {
  return new WebAssembly.Instance(new WebAssembly.Module(passOn), { e: { f } }).exports
    .f as WebAssembly.ExportValue;
}
