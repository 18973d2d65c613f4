import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import type { GuestRam } from './guest-ram.ts';
import type { LiveCpu } from './live-internals.ts';
import { watchDeviceReads, watchDeviceWrites } from './watch-devices.ts';
import type { ModuleMarks } from './watch-writes.ts';

/** Pages by their numbers; a map is one. */
export type PageContents = Pick<ReadonlyMap<number, Uint8Array>, 'keys' | 'get'>;

export const noPages: PageContents = new Map<number, Uint8Array>();

/** Address of CR4 in v86 0.5.462 (`src/rust/cpu/global_pointers.rs`), and its bit for PAE. */
const cr4At = 596;
const paeBit = 1 << 5;
const slicePages = 64;

/** Pages that are on their way. */
export interface LatePages {
  readonly pages: Uint32Array;
  /** Puts one of them there: called once for each, unless others are waited for by then. */
  put(page: number): void;
}

export interface LateRamOptions {
  readonly ram: GuestRam;
  readonly marks: ModuleMarks;
  /** The table of functions that the module was instantiated with. */
  readonly table: WebAssembly.Table;
  /** Told once, when a page cannot be had: it stays as it was, so what the guest does from now on is worth nothing. */
  readonly onDamage: (cause: unknown) => void;
}

/**
 * RAM of a machine that goes on before it has all of it: a page is put there when the guest, a page walk or a
 * device first looks at it, and the rest soon after, in slices between which the machine runs.
 */
export class LateRam implements Disposable {
  readonly #ram: GuestRam;
  readonly #onDamage: (cause: unknown) => void;
  readonly #marks: ModuleMarks;
  /** Of who is called for a page, in the table. */
  readonly #index: number;
  #late: LatePages = nothing;
  /** How many of those are there for certain: those before. */
  #filled = 0;
  #absent: Uint8Array;
  #isDamaged = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(cpu: LiveCpu, { ram, marks, table, onDamage }: LateRamOptions) {
    this.#ram = ram;
    this.#marks = marks;
    this.#onDamage = onDamage;
    this.#absent = this.#viewAbsent();
    const firstPage = ram.offset / pageBytes;
    this.#index = table.grow(1);
    table.set(
      this.#index,
      asTableFunction((page) => this.#put(page - firstPage)),
    );
    this.#word(marks.ramAt)[0] = ram.offset;
    watchDeviceReads(cpu, (address, sizeBytes) => this.#touch(address, sizeBytes));
    watchDeviceWrites(cpu, (address, sizeBytes) => this.#touch(address, sizeBytes));
  }

  /**
   * Lets the guest wait for these pages, and for no others any more. The machine stands still; its TLB is to be cleared
   * before it goes on. What nobody looks at within `delayMs` is put there by and by; `beforeRest` is told first.
   */
  expect(
    late: LatePages,
    {
      delayMs = 0,
      beforeRest,
      afterRest,
    }: { delayMs?: number; beforeRest?: () => void; afterRest?: () => void } = {},
  ): void {
    const absent = this.#absentPages();
    for (const page of this.left()) absent[page] = 0;
    this.#late = late;
    this.#filled = 0;
    // Tables of PAE are not waited for.
    if (this.#word(cr4At)[0] & paeBit) {
      for (const page of late.pages) late.put(page);
      this.#late = nothing;
    }
    for (const page of this.#late.pages) absent[page] = 1;
    this.#word(this.#marks.faultAt)[0] = this.#index;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      beforeRest?.();
      this.#fillInTime(afterRest);
    }, delayMs);
  }

  /** The pages that are not there. */
  left(): number[] {
    const absent = this.#absentPages();
    const left: number[] = [];
    const { pages } = this.#late;
    for (let at = this.#filled; at < pages.length; at++) {
      const page = pages[at] as number;
      if (absent[page]) left.push(page);
    }
    return left;
  }

  /** Puts there all that is missing. */
  fill(): void {
    this.#fillSlice(this.#late.pages.length);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #fillInTime(after?: () => void): void {
    this.#fillSlice(slicePages);
    if (this.#timer !== undefined) this.#timer = setTimeout(() => this.#fillInTime(after));
    else after?.();
  }

  #fillSlice(count: number): void {
    const { pages } = this.#late;
    const end = Math.min(this.#filled + count, pages.length);
    for (; this.#filled < end; this.#filled++) this.#put(pages[this.#filled] as number);
    if (this.#filled < pages.length) return;
    this.#late = nothing;
    this.#filled = 0;
    this.#word(this.#marks.faultAt)[0] = 0;
    this[Symbol.dispose]();
  }

  #touch(address: number, sizeBytes: number): void {
    if (this.#late === nothing) return;
    const last = Math.min((address + sizeBytes - 1) >>> 12, this.#ram.pages - 1);
    for (let page = address >>> 12; page <= last; page++) this.#put(page);
  }

  /** Does nothing for a page that is there. */
  #put(page: number): void {
    const absent = this.#absentPages();
    if (absent[page] !== 1) return;
    absent[page] = 0;
    try {
      this.#late.put(page);
    } catch (cause) {
      if (!this.#isDamaged) this.#onDamage(cause);
      this.#isDamaged = true;
    }
  }

  /** The bytes of absent pages, by page. */
  #absentPages(): Uint8Array {
    if (this.#absent.buffer !== this.#ram.memory) this.#absent = this.#viewAbsent();
    return this.#absent;
  }

  #viewAbsent(): Uint8Array {
    const { memory, offset, pages } = this.#ram;
    return new Uint8Array(memory, this.#marks.absentAt + offset / pageBytes, pages);
  }

  #word(address: number): Uint32Array & { 0: number } {
    return new Uint32Array(this.#ram.memory, address, 1) as Uint32Array & { 0: number };
  }
}

const nothing: LatePages = { pages: new Uint32Array(0), put: () => undefined };

/** A module that exports what it imports, `e.f`: tables hold functions of WebAssembly only. */
const passOn = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 1, 0x7f, 0], // One type: a number, no answer.
  ...[2, 7, 1, 1, 0x65, 1, 0x66, 0, 0],
  ...[7, 5, 1, 1, 0x66, 0, 0],
);

function asTableFunction(f: (page: number) => void): WebAssembly.ExportValue {
  return new WebAssembly.Instance(new WebAssembly.Module(passOn), { e: { f } }).exports
    .f as WebAssembly.ExportValue;
}
