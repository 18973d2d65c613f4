import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import type { PageContents } from '../live/late-ram.ts';

/** The pages of RAM that are not zero, as a saved state of v86 has them. */
export class PackedRam implements PageContents {
  readonly #pages: Uint8Array;
  /** By page: the place of its content, from 1 on; 0 for zeros. */
  readonly #places: Uint32Array;
  readonly #numbers: Uint32Array;

  /** `bitmap`: a bit for each page, the lowest first; `pages`: those with a 1, one after the other. */
  constructor(bitmap: Uint8Array, pages: Uint8Array) {
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

  get(page: number): Uint8Array | undefined {
    const place = this.#places[page];
    return place ? this.#pages.subarray((place - 1) * pageBytes, place * pageBytes) : undefined;
  }
}
