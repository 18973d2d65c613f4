import { type DeviceState, Devices } from './device-state.ts';
import { type GuestRam, pageBytes } from './guest-ram.ts';
import type { LiveCpu } from './live-internals.ts';
import { PageStore } from './page-store.ts';
import { PageTable } from './page-table.ts';
import type { WrittenPages } from './written-pages.ts';

/** A machine at an instant: its RAM, its processor and its devices. Valid with the `Checkpoints` that took it. */
export interface MachineImage {
  readonly pages: PageTable;
  readonly devices: DeviceState;
  /** When it was taken, by the clock of this thread, ms. */
  readonly takenAtMs: number;
}

/** What going back has cost. */
export interface Rewound {
  /** Pages that differed. */
  readonly pages: number;
  /** How long the machine stood still. */
  readonly pausedMs: number;
}

/**
 * Takes images of a machine and puts it back to them, in place. Both cost what differs, and are done
 * between two slices of the guest's work: whoever calls runs in the thread of the emulator.
 */
export class Checkpoints {
  readonly #cpu: LiveCpu;
  readonly #devices: Devices;
  readonly #ram: GuestRam;
  readonly #written: WrittenPages;
  readonly #store = new PageStore();
  /** What RAM was when `#written` last forgot. */
  #table: PageTable;

  constructor(cpu: LiveCpu, { ram, written }: { ram: GuestRam; written: WrittenPages }) {
    this.#cpu = cpu;
    this.#devices = new Devices(cpu);
    this.#ram = ram;
    this.#written = written;
    this.#table = this.#whole();
    written.forget();
  }

  /** The machine as it is now. */
  take(): MachineImage {
    const pages = this.#written.list();
    const ids = new Uint32Array(pages.length);
    for (const [index, page] of pages.entries()) ids[index] = this.#store.put(this.#ram.page(page));
    this.#table = this.#table.with(pages, ids);
    const devices = this.#devices.save();
    this.#written.forget();
    return { pages: this.#table, devices, takenAtMs: performance.now() };
  }

  /** The content of a page of an image that is kept; nobody may change it. */
  contentOf(id: number): Uint8Array {
    return this.#store.get(id);
  }

  /** Bytes of pages that the images hold. */
  get usedBytes(): number {
    return this.#store.usedBytes;
  }

  /** No other image will be gone to any more: what only those hold is let go of. */
  keepOnly(images: readonly MachineImage[]): void {
    this.#store.keepOnly([this.#table, ...images.map(({ pages }) => pages)]);
  }

  /** Puts the machine back. */
  rewind(image: MachineImage): Rewound {
    const startMs = performance.now();
    let count = 0;
    const put = (page: number, id: number): void => {
      const start = page * pageBytes;
      this.#ram.bytes.set(this.#store.get(id), start);
      this.#cpu.jit_dirty_cache(start, start + pageBytes);
      count++;
    };
    const written = this.#written.list();
    for (const page of written) put(page, image.pages.get(page));
    const isWritten = new Set(written);
    this.#table.compare(image.pages, (page, _, id) => {
      if (!isWritten.has(page)) put(page, id);
    });
    this.#table = image.pages;
    this.#devices.restore(image.devices, { pausedMs: performance.now() - image.takenAtMs });
    this.#written.forget();
    return { pages: count, pausedMs: performance.now() - startMs };
  }

  /**
   * The oracle: how many pages of RAM are not what they were at the last image, though nothing says
   * that they were written. Reads all of RAM.
   */
  countMissed(): number {
    const written = new Set(this.#written.list());
    let missed = 0;
    for (let page = 0; page < this.#ram.pages; page++) {
      if (!written.has(page) && !isSame(this.#ram.page(page), this.#store.get(this.#table.get(page))))
        missed++;
    }
    return missed;
  }

  /** All of RAM, the first time. */
  #whole(): PageTable {
    const pages: number[] = [];
    const ids: number[] = [];
    for (let page = 0; page < this.#ram.pages; page++) {
      const bytes = this.#ram.page(page);
      if (isZero(bytes)) continue;
      pages.push(page);
      ids.push(this.#store.put(bytes));
    }
    return PageTable.empty.with(Uint32Array.from(pages), Uint32Array.from(ids));
  }
}

function isZero(page: Uint8Array): boolean {
  return wordsOf(page).every((word) => word === 0);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  const there = wordsOf(b);
  return wordsOf(a).every((word, at) => word === there[at]);
}

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length / 4);
}
