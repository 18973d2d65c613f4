import { limits } from '../../../../protocol/limits.ts';
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

export interface LateRamOptions {
  readonly ram: GuestRam;
  readonly marks: ModuleMarks;
  /** The table of functions that the module was instantiated with. */
  readonly table: WebAssembly.Table;
  /** What is missing of RAM, which is zero there; read once each, with `get`, which may throw. */
  readonly contents: PageContents;
  /** Told once, when a page cannot be had: it stays zero, so what the guest does from now on is worth nothing. */
  readonly onDamage: (cause: unknown) => void;
}

/**
 * RAM of a machine that begins to run before it has all of it: a page is put there when the guest, a page walk or a
 * device first looks at it, and the rest soon after, in slices between which the machine runs.
 */
export class LateRam implements Disposable {
  readonly #ram: GuestRam;
  #contents: PageContents;
  readonly #onDamage: (cause: unknown) => void;
  readonly #marks: ModuleMarks;
  /** What was missing at first. */
  readonly #pages: Uint32Array;
  /** How many of those are there for certain. */
  #filled = 0;
  #absent: Uint8Array;
  #isDamaged = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `cpu` stands still, and its RAM is zero where `contents` has pages. */
  constructor(cpu: LiveCpu, { ram, marks, table, contents, onDamage }: LateRamOptions) {
    this.#ram = ram;
    this.#marks = marks;
    this.#contents = contents;
    this.#onDamage = onDamage;
    this.#pages = Uint32Array.from(contents.keys());
    this.#absent = this.#viewAbsent();
    for (const page of this.#pages) this.#absent[page] = 1;
    if (this.#word(cr4At)[0] & paeBit) {
      this.fill();
      return;
    }
    const firstPage = ram.offset / pageBytes;
    const index = table.grow(1);
    table.set(
      index,
      asTableFunction((page) => this.#put(page - firstPage)),
    );
    this.#word(marks.ramAt)[0] = ram.offset;
    this.#word(marks.faultAt)[0] = index;
    watchDeviceReads(cpu, (address, sizeBytes) => this.#touch(address, sizeBytes));
    watchDeviceWrites(cpu, (address, sizeBytes) => this.#touch(address, sizeBytes));
    cpu.full_clear_tlb(); // Addresses that are known already were not waited for.
    this.#timer = setTimeout(() => this.#fillInTime(), limits.lateRamDelayMs);
  }

  /** Puts there all that is missing. */
  fill(): void {
    this.#fillSlice(this.#pages.length);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #fillInTime(): void {
    this.#fillSlice(slicePages);
    if (this.#timer !== undefined) this.#timer = setTimeout(() => this.#fillInTime());
  }

  #fillSlice(count: number): void {
    const end = Math.min(this.#filled + count, this.#pages.length);
    for (; this.#filled < end; this.#filled++) this.#put(this.#pages[this.#filled] as number);
    if (this.#filled < this.#pages.length) return;
    this.#word(this.#marks.faultAt)[0] = 0;
    this.#contents = noPages;
    this[Symbol.dispose]();
  }

  #touch(address: number, sizeBytes: number): void {
    if (this.#filled === this.#pages.length) return;
    const last = Math.min((address + sizeBytes - 1) >>> 12, this.#ram.pages - 1);
    for (let page = address >>> 12; page <= last; page++) this.#put(page);
  }

  /** Does nothing for a page that is there. */
  #put(page: number): void {
    if (this.#absent.buffer !== this.#ram.memory) this.#absent = this.#viewAbsent();
    if (this.#absent[page] !== 1) return;
    this.#absent[page] = 0;
    try {
      const content = this.#contents.get(page);
      if (content) this.#ram.bytes.set(content, page * pageBytes);
    } catch (cause) {
      if (!this.#isDamaged) this.#onDamage(cause);
      this.#isDamaged = true;
    }
  }

  #viewAbsent(): Uint8Array {
    const { memory, offset, pages } = this.#ram;
    return new Uint8Array(memory, this.#marks.absentAt + offset / pageBytes, pages);
  }

  #word(address: number): Uint32Array & { 0: number } {
    return new Uint32Array(this.#ram.memory, address, 1) as Uint32Array & { 0: number };
  }
}

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
