import { type PageGuard, type PageStates, pageStates } from './page-states.ts';

/** Pages by their numbers; a map is one. */
export type PageContents = Pick<ReadonlyMap<number, Uint8Array>, 'keys' | 'get'>;

export const noPages: PageContents = new Map<number, Uint8Array>();

const slicePages = 64;

/** Pages that are on their way. */
export interface LazyPages {
  readonly pages: Uint32Array;
  /** Puts one of them there: called once for each, unless others are waited for by then. */
  put(page: number): void;
}

const nothing: LazyPages = { pages: new Uint32Array(0), put: () => undefined };

/**
 * RAM of a machine that goes on before it has all of it: a page is put there when somebody first looks at it, and the
 * rest soon after, in slices between which the machine runs.
 */
export class LazyRam implements Disposable {
  readonly #states: PageStates;
  readonly #guard: PageGuard;
  #late: LazyPages = nothing;
  /** How many of those are there for certain: those before. */
  #filled = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(states: PageStates) {
    this.#states = states;
    this.#guard = states.guard(pageStates.late, (page) => this.#late.put(page));
  }

  /**
   * Lets the guest wait for these pages, and for no others any more. The machine stands still. What nobody looks at
   * within `delayMs` is put there by and by; `beforeRest` is told first.
   */
  expect(
    late: LazyPages,
    {
      delayMs = 0,
      beforeRest,
      afterRest,
    }: { delayMs?: number; beforeRest?: () => void; afterRest?: () => void } = {},
  ): void {
    this.drop();
    this.#late = late;
    if (!this.#states.areAsked) {
      for (const page of late.pages) late.put(page);
      this.#late = nothing;
    }
    this.#guard.set(this.#late.pages);
    this.#timer = setTimeout(() => {
      beforeRest?.();
      this.#fillInTime(afterRest);
    }, delayMs);
  }

  /** Nobody waits for any page any more. Answers those that are not there. */
  drop(): Uint32Array {
    const left = this.#late.pages.subarray(this.#filled).filter((page) => this.#guard.has(page));
    for (const page of left) this.#guard.clear(page);
    this.#hasAll();
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
    for (; this.#filled < end; this.#filled++) this.#guard.look(pages[this.#filled] as number);
    if (this.#filled === pages.length) this.#hasAll();
  }

  #hasAll(): void {
    this.#late = nothing;
    this.#filled = 0;
    this[Symbol.dispose]();
  }
}
