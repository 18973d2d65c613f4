import { pageBytes } from './guest-ram.ts';
import { zeroPage } from './page-table.ts';

/** Pages in a slab: 1 MiB is allocated at once. */
const slabPages = 256;
const zeros = new Uint8Array(pageBytes);

/** The content of pages by id, each as it is, for as long as the store is there. */
export class PageStore {
  readonly #slabs: Uint8Array[] = [];
  /** The next id; 0 is the page of zeros. */
  #next = 1;

  /** Copies a page. */
  put(page: Uint8Array): number {
    const id = this.#next++;
    if (this.#slabs.length * slabPages <= id) this.#slabs.push(new Uint8Array(slabPages * pageBytes));
    this.#at(id).set(page);
    return id;
  }

  /** A view, which nobody may change. @throws RangeError for an id that was never given */
  get(id: number): Uint8Array {
    return id === zeroPage ? zeros : this.#at(id);
  }

  #at(id: number): Uint8Array {
    const slab = this.#slabs[Math.floor(id / slabPages)];
    if (!slab) throw new RangeError(`There is no page ${id}`);
    const start = (id % slabPages) * pageBytes;
    return slab.subarray(start, start + pageBytes);
  }
}
