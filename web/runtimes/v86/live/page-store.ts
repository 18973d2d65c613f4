import { pageBytes } from './guest-ram.ts';
import { type PageTable, zeroPage } from './page-table.ts';

/** Pages in a slab: 1 MiB is allocated at once. */
const slabPages = 256;
const zeros = new Uint8Array(pageBytes);

/** The content of pages by id, each as it is, until no table that is kept has it. */
export class PageStore {
  readonly #slabs: (Uint8Array | undefined)[] = [];
  /** Ids that can be given again, the next one last. */
  #free: number[] = [];
  /** The next id that was never given; 0 is the page of zeros. */
  #next = 1;

  /** Bytes that it holds, those that are free in its slabs included. */
  get usedBytes(): number {
    return this.#slabs.filter(Boolean).length * slabPages * pageBytes;
  }

  /** Copies a page. */
  put(page: Uint8Array): number {
    const id = this.#free.pop() ?? this.#next++;
    this.#at(id).set(page);
    return id;
  }

  /** A view, which nobody may change. @throws RangeError for an id that was never given */
  get(id: number): Uint8Array {
    if (id >= this.#next) throw new RangeError(`There is no page ${id}`);
    return id === zeroPage ? zeros : this.#at(id);
  }

  /** Forgets every page that none of these tables has. Costs what the tables do not share. */
  keepOnly(tables: Iterable<PageTable>): void {
    const isKept = new Uint8Array(this.#next);
    const seen = new Set<unknown>();
    for (const table of tables) table.eachId((id) => (isKept[id] = 1), seen);
    const slabs = Math.ceil(this.#next / slabPages);
    this.#free = [];
    // Those in the first slabs are given first, so that the last ones come to be empty.
    for (let slab = slabs - 1; slab >= 0; slab--) {
      const first = slab * slabPages;
      const last = Math.min(this.#next, first + slabPages) - 1;
      const free: number[] = [];
      for (let id = last; id >= Math.max(1, first); id--) if (!isKept[id]) free.push(id);
      if (free.length === last - Math.max(1, first) + 1) this.#slabs[slab] = undefined;
      this.#free.push(...free);
    }
  }

  #at(id: number): Uint8Array {
    const number = Math.floor(id / slabPages);
    this.#slabs[number] ??= new Uint8Array(slabPages * pageBytes);
    const start = (id % slabPages) * pageBytes;
    return this.#slabs[number].subarray(start, start + pageBytes);
  }
}
