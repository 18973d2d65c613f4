import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { PageContents } from '../live/lazy-ram.ts';
import type { SavedState } from './saved-state.ts';

/** The pages of RAM that are not zero, as a saved state of v86 has them. */
export class PackedRam implements PageContents {
  readonly #pages: Uint8Array;
  /** By page: the place of its content, from 1 on; 0 for zeros. */
  readonly #places: Uint32Array;
  readonly #numbers: Uint32Array;
  readonly #state: Omit<SavedState, 'bytes'>;

  /** `bitmap`: a bit for each page, the lowest first; `pages`: those with a 1, one after the other, that may be stored. */
  constructor(bitmap: Uint8Array, pages: Uint8Array, state: Omit<SavedState, 'bytes'> = {}) {
    this.#state = state;
    this.#pages = pages;
    this.#places = new Uint32Array(bitmap.length * 8);
    this.#numbers = new Uint32Array(pages.length / pageBytes);
    let place = 0;
    for (let page = 0; page < this.#places.length; page++) {
      if (((bitmap[page >>> 3] ?? 0) & (1 << (page & 7))) === 0) continue;
      this.#numbers[place] = page;
      this.#places[page] = ++place;
    }
  }

  keys(): ArrayIterator<number> {
    return this.#numbers.values();
  }

  /** @throws corrupt-object */
  get(page: number): Uint8Array | undefined {
    const place = this.#places[page];
    if (!place) return undefined;
    this.#state.stored?.read(place - 1);
    return this.#pages.subarray((place - 1) * pageBytes, place * pageBytes);
  }

  /** What was asked for until now is what the guest looks at first. */
  firstIsOver(): void {
    this.#state.stored?.firstIsOver();
  }

  /** Nobody asks for a page any more. */
  letGo(): void {
    this.#state.stored?.letGo();
    this.#state.letGo?.();
  }
}
