import { type PageKernels, pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { ComparedPages } from './compared-pages.ts';
import type { DeviceState, Devices } from './device-state.ts';
import type { GuestRam } from './guest-ram.ts';
import type { LazyRam } from './lazy-ram.ts';
import type { LiveCpu } from './live-internals.ts';
import type { ModuleMarks } from './page-states.ts';
import { type PageGuard, type PageStates, pageStates, type WrittenPages } from './page-states.ts';
import { PageStore } from './page-store.ts';
import { PageTable } from './page-table.ts';

/** A machine at an instant: its RAM, its processor and its devices. Valid with the `Checkpoints` that took it. */
export interface MachineImage {
  readonly pages: PageTable;
  readonly devices: DeviceState;
  /** When it was taken, by the clock of this thread, ms. */
  readonly takenAtMs: number;
}

/** How it is known which pages the guest has written: where nothing marks them, all of RAM is compared, each time. */
export type Tracking = 'marks' | 'comparison';

export function trackingBy(marks: ModuleMarks | undefined): Tracking {
  return marks ? 'marks' : 'comparison';
}

/** An image whose table of pages is made when somebody looks at it: nothing that the machine waits for. */
class TakenImage implements MachineImage {
  readonly devices: DeviceState;
  readonly takenAtMs: number = performance.now();
  /** Until then: it holds on to the machine. */
  #makePages: (() => void) | undefined;
  #pages: PageTable | undefined;

  /** `makePages` sets them. */
  constructor(devices: DeviceState, makePages: () => void) {
    this.devices = devices;
    this.#makePages = makePages;
  }

  get pages(): PageTable {
    this.#makePages?.();
    return this.#pages as PageTable;
  }

  set pages(pages: PageTable) {
    this.#pages = pages;
    this.#makePages = undefined;
  }
}

/** An image whose pages were not all looked at. */
interface Unsettled {
  readonly image: TakenImage;
  /** What RAM was before it, and which pages were taken since. */
  readonly before: PageTable;
  readonly taken: TakenPages;
}

/** Pages that were taken, ascending, and the ids of their contents. */
interface TakenPages {
  readonly pages: Uint32Array;
  readonly ids: Uint32Array;
}

/** What there is of a machine that is watched. */
interface Watched {
  readonly states: PageStates;
  readonly late: LazyRam;
  /** Of pages that the store has where they are. */
  readonly shared: PageGuard;
}

/** Pages looked at in one slice, 1 to 3 ms, between which the machine runs. */
const slicePages = 128;
/** The same before there is an image: they are packed, too. */
const aheadPages = 256;

/**
 * Takes images of a machine and puts it back to them, in place. Both cost what differs, and are done
 * between two slices of the guest's work: whoever calls runs in the thread of the emulator.
 */
export class Checkpoints implements Disposable {
  readonly #cpu: LiveCpu;
  readonly #devices: Devices;
  readonly #ram: GuestRam;
  readonly #written: WrittenPages;
  readonly #watched: Watched | undefined;
  readonly #store: PageStore;
  /** What RAM was when `#written` last forgot, once that is noted. */
  #table = PageTable.empty;
  /** The last image and its pages, which are guarded: what looks at a table begins by noting them. */
  #taken: { readonly image: TakenImage; readonly pages: Uint32Array } | undefined;
  #unsettled: Unsettled[] = [];
  /** Pages from here on are taken ahead, by and by, until the first image is. */
  #ahead: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Without `watched` all of RAM is compared, each time. */
  constructor(
    cpu: LiveCpu,
    {
      ram,
      devices,
      kernels,
      watched,
    }: {
      ram: GuestRam;
      devices: Devices;
      kernels: PageKernels;
      watched: Omit<Watched, 'shared'> | undefined;
    },
  ) {
    this.#cpu = cpu;
    this.#devices = devices;
    this.#ram = ram;
    const shared = watched?.states.guard(pageStates.shared, (page) => this.#unshare(page));
    this.#watched = watched && shared && { ...watched, shared };
    const onUnshared = (page: number) => shared?.clear(page);
    this.#store = new PageStore(cpu.wasm_memory, kernels, { ram: ram.offset, onUnshared });
    this.#written =
      watched?.states ?? new ComparedPages(cpu, { ram, isKnown: (page) => this.#isKnown(page) });
    this.#ahead = watched ? 0 : ram.pages;
    if (watched) {
      this.#timer = setTimeout(() => this.#workInTime());
    } else {
      this.#takeAhead(this.#listWritten());
      this.#store.unshareAll();
    }
  }

  /** The machine as it is now. */
  take(): MachineImage {
    this.#note();
    this.#ahead = this.#ram.pages;
    // First: where devices cannot be copied, no mark is lost.
    const image = new TakenImage(this.#devices.save(), () => this.#note());
    const pages = this.#listWritten();
    this.#store.reserve(pages.length);
    this.#taken = { image, pages };
    if (this.#watched?.states.areAsked) {
      this.#watched.shared.set(pages);
    } else {
      this.#note();
      this.#store.unshareAll();
      this.#written.forget(pages);
    }
    this.#timer ??= setTimeout(() => this.#workInTime());
    return image;
  }

  /** The content of a page of an image that is kept; valid until the next call of anything here. */
  pageContent(id: number): Uint8Array {
    return this.#store.view(id);
  }

  /** Whether pages of such images have the same content. */
  isSamePage(a: number, b: number): boolean {
    return this.#store.isEqual(a, b);
  }

  /** Bytes that the images hold. */
  get usedBytes(): number {
    return this.#store.usedBytes + (this.#taken?.pages.length ?? 0) * pageBytes;
  }

  /** No other image will be gone to any more: what only those hold is let go of. */
  keepOnly(images: readonly MachineImage[]): void {
    this.#note();
    const isKept = new Set<object>(images);
    this.#unsettled = this.#unsettled.filter(({ image }) => isKept.has(image));
    const before = this.#unsettled.map((unsettled) => unsettled.before);
    this.#store.keepOnly([this.#table, ...before, ...images.map(({ pages }) => pages)]);
  }

  /** Looks at all that was taken, and makes it as small as it gets: otherwise done while the machine runs, but for the youngest. */
  settle(): void {
    this.#note();
    while (this.#unsettled.length > 0 || !this.#store.isSettled) this.#settleSlice();
    this.#store.settle(Number.POSITIVE_INFINITY, { all: true });
  }

  /** Puts the machine back. Answers how many pages differed; where the guest is watched, those come when it looks at them. */
  rewind(image: MachineImage): number {
    this.#note();
    const at = this.#written.states();
    const states = new Uint8Array(this.#ram.memory, at, this.#ram.pages);
    for (const page of this.#watched?.late.drop() ?? []) states[page] = pageStates.written;
    this.#table.compare(image.pages, (page, here, there) => {
      if (states[page] === pageStates.written || this.#store.isSame(here, there)) return;
      this.#store.unshare(page);
      states[page] = pageStates.written;
    });
    const pages = this.#store.written({ states: at, pages: this.#ram.pages });
    this.#written.forget(pages);
    this.#table = image.pages;
    this.#putBack(pages);
    for (const page of pages) this.#cpu.jit_dirty_cache(page * pageBytes, (page + 1) * pageBytes);
    this.#devices.restore(image.devices, { pausedMs: performance.now() - image.takenAtMs });
    return pages.length;
  }

  /**
   * The oracle: how many pages of RAM are not what they were at the last image, though nothing says
   * that they were written. Reads all of RAM. Of pages that the image still shares it knows nothing: `settle` first.
   */
  countMissed(): number {
    this.#note();
    this.#watched?.late.fill();
    const written = new Set(this.#listWritten());
    let missed = 0;
    for (let page = 0; page < this.#ram.pages; page++) {
      if (!written.has(page) && !this.#isKnown(page)) missed++;
    }
    return missed;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#note();
    this.#unsettled = [];
  }

  /** Makes the table of the last image, where it has none yet. */
  #note(): void {
    if (!this.#taken) return;
    const { image, pages } = this.#taken;
    this.#taken = undefined;
    const before = this.#table;
    const ids = this.#store.take(pages, before);
    this.#table = before.with(pages, ids);
    image.pages = this.#table;
    this.#unsettled.push({ image, before, taken: { pages, ids } });
  }

  /** A page is about to be looked at, perhaps to be written. */
  #unshare(page: number): void {
    this.#note();
    this.#store.unshare(page);
  }

  #putBack(pages: Uint32Array): void {
    const put = (some: Uint32Array) => this.#store.putBack(some, this.#table);
    if (this.#watched) this.#watched.late.expect({ pages, put: (page) => put(Uint32Array.of(page)) });
    else put(pages);
  }

  /** Whether a page is what it was when `#written` last forgot. */
  #isKnown(page: number): boolean {
    return this.#store.has(this.#table.get(page), this.#ram.offset + page * pageBytes);
  }

  /** Those that were written, from one on. */
  #listWritten(some: { from?: number; most?: number } = {}): Uint32Array {
    return this.#store.written({ states: this.#written.states(), pages: this.#ram.pages, ...some });
  }

  /** What is not for a pause, in slices. */
  #workInTime(): void {
    this.#timer = undefined;
    this.#note();
    if (this.#ahead < this.#ram.pages) this.#workAhead();
    else this.#settleSlice();
    this.#store.reserveNext();
    if (this.#ahead < this.#ram.pages || this.#unsettled.length > 0 || !this.#store.isSettled)
      this.#timer = setTimeout(() => this.#workInTime());
  }

  /** Takes some pages before there is an image, and packs them: memory that was filled with copies never shrinks. */
  #workAhead(): void {
    const pages = this.#listWritten({ from: this.#ahead, most: aheadPages });
    this.#takeAhead(pages);
    this.#store.settle(aheadPages, { all: true });
    this.#ahead = pages.length < aheadPages ? this.#ram.pages : (pages[aheadPages - 1] as number) + 1;
  }

  /** Takes pages that are of no image. Nothing guards them: whoever calls has none shared any more before the guest goes on. */
  #takeAhead(pages: Uint32Array): void {
    this.#store.reserve(pages.length);
    this.#table = this.#table.with(pages, this.#store.take(pages, this.#table));
    this.#written.forget(pages);
  }

  #settleSlice(): void {
    this.#store.settle(slicePages);
    if (!this.#store.isLookedAt) return;
    for (const unsettled of this.#unsettled) this.#shareTable(unsettled);
    this.#unsettled = [];
  }

  /** Pages that are what they were before, or are known by another id, need no place of their own in the table. */
  #shareTable({ image, before, taken }: Unsettled): void {
    const pages: number[] = [];
    const ids: number[] = [];
    for (const [index, page] of taken.pages.entries()) {
      const id = taken.ids[index] as number;
      if (this.#store.isSame(id, before.get(page))) continue;
      pages.push(page);
      ids.push(this.#store.contentOf(id));
    }
    const table = before.with(Uint32Array.from(pages), Uint32Array.from(ids));
    const next = this.#unsettled.find((one) => one.before === image.pages);
    if (next) Object.assign(next, { before: table });
    if (this.#table === image.pages) this.#table = table;
    image.pages = table;
  }
}
