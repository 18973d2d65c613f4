import { type PageKernels, pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { listLength, listWritten, type WrittenOptions } from './list-written.ts';
import { type GrowingMemory, PageArena } from './page-arena.ts';
import { kinds, PageRecords } from './page-records.ts';
import { type PageTable, zeroPage } from './page-table.ts';

/** Deltas that lie one on another, at most: what reading a page costs. */
const mostDepth = 8;
/** A delta of more is no gain over compressing the page. */
const mostDeltaBytes = 1_536;
/** A page that does not get smaller is kept as it is. */
const mostCompressedBytes = 3_072;
/** Pages that are kept as they are, the last ones taken: a machine mostly goes back to where it just was. */
const youngPages = 2_048;
/** A page that is kept as it is, for now. */
interface Young {
  readonly id: number;
  /** What the page had before. */
  readonly before: number;
}

interface Staged extends Young {
  /** Of RAM, where the content is until it is unshared. */
  readonly page: number;
}

export interface PageStoreOptions {
  /** Address of RAM in the memory. */
  readonly ram: number;
  /** Told of a page of RAM that no content is in any more: it may be written. */
  readonly onUnshared?: (page: number) => void;
}

/**
 * The contents of pages by id, in the memory of the machine whose pages they are. They are taken where they are, in
 * its RAM, so that the machine waits for no copy; whoever is about to write to a page has it `unshare`d first.
 * `settle` looks at them later: those that are equal are kept once, and all but the youngest as what differs from what
 * the page had before, or compressed.
 */
export class PageStore {
  readonly #memory: GrowingMemory;
  readonly #kernels: PageKernels;
  readonly #ram: number;
  readonly #onUnshared: (page: number) => void;
  readonly #arena: PageArena;
  readonly #records = new PageRecords();
  /** Ids by the hash of their content, of 53 bits: pages with the same one are compared. */
  readonly #byHash = new Map<number, number>();
  /** Ids of contents that are in RAM, by page. */
  readonly #shared = new Map<number, number>();
  #staged: Staged[] = [];
  #young: Young[] = [];
  /** Four pages for what is looked at: two contents, what is made of one, and the table and hash of the kernels. */
  readonly #scratch: { readonly a: number; readonly b: number; readonly out: number; readonly table: number };
  /** A page of zeros. */
  readonly #zeros: number;

  constructor(memory: GrowingMemory, kernels: PageKernels, { ram, onUnshared = () => {} }: PageStoreOptions) {
    this.#memory = memory;
    this.#kernels = kernels;
    this.#ram = ram;
    this.#onUnshared = onUnshared;
    this.#arena = new PageArena(memory);
    const [a, b, out, table] = [0, 0, 0, 0].map(() => this.#arena.allocate(pageBytes)) as [
      number,
      number,
      number,
      number,
    ];
    this.#scratch = { a, b, out, table };
    this.#zeros = this.#arena.allocate(pageBytes);
    new Uint8Array(memory.buffer, this.#zeros, pageBytes).fill(0);
  }

  /** Bytes of contents and of what is known of them; those that are shared may come to take a page each. */
  get usedBytes(): number {
    const records = this.#records.end * PageRecords.bytesOfOne;
    return this.#arena.usedBytes + this.#shared.size * pageBytes + records;
  }

  /** Whether `settle` has nothing to do. */
  get isSettled(): boolean {
    return this.isLookedAt && this.#young.length <= youngPages;
  }

  /** Whether all that are equal are known. */
  get isLookedAt(): boolean {
    return this.#staged.length === 0;
  }

  /** Numbers of pages that count as written, ascending. */
  written(some: WrittenOptions): Uint32Array {
    return listWritten(this.#kernels, { memory: this.#memory, scratch: this.#scratch.out, ...some });
  }

  /**
   * Has room for so many pages more than are shared already, so that unsharing them grows no memory. It stays: what
   * `settle` makes smaller gives back as many pages as it takes. @throws RangeError where memory cannot grow any more
   */
  reserve(pages: number): void {
    this.#arena.reserve(this.#shared.size + pages);
  }

  /** Gets ready for the next pages to be taken, as far as there is memory. */
  reserveNext(): void {
    this.#arena.reserveTouched();
  }

  /**
   * Ids for pages as they are in RAM now, for which room was reserved: whoever changes them has them unshared.
   * `table` is what they had before.
   */
  take(pages: Uint32Array, table: PageTable): Uint32Array {
    return pages.map((page) => {
      this.unshare(page);
      const id = this.#records.add();
      this.#records.set(id, { kind: kinds.staged, address: this.#ram + page * pageBytes });
      this.#shared.set(page, id);
      this.#staged.push({ id, page, before: table.get(page) });
      return id;
    });
  }

  /** A page of RAM is about to be another: what is in it is copied, where an id has it. */
  unshare(page: number): void {
    const id = this.#shared.get(page);
    if (id === undefined) return;
    const address = this.#arena.allocate(pageBytes);
    this.#kernels.copy(address, this.#records.address(id), pageBytes);
    this.#records.set(id, { kind: kinds.staged, address });
    this.#leave(page);
  }

  /** The same for all of RAM. */
  unshareAll(): void {
    for (const page of this.#shared.keys()) this.unshare(page);
  }

  /** Looks at pages that were taken, at most so many, and makes as many smaller; with `all`, the youngest as well. */
  settle(most: number, { all = false }: { all?: boolean } = {}): void {
    for (const staged of this.#staged.splice(0, most)) this.#lookAt(staged);
    const old = all && this.isLookedAt ? this.#young.length : this.#young.length - youngPages;
    for (const young of this.#young.splice(0, Math.min(most, Math.max(0, old)))) this.#pack(young);
  }

  /** Whether two ids have the same content, as far as that was looked at. */
  isSame(a: number, b: number): boolean {
    return this.#resolve(a) === this.#resolve(b);
  }

  /** The id by which a content is kept: of pages that are equal, the same. */
  contentOf(id: number): number {
    return this.#resolve(id);
  }

  /** Writes to pages of RAM what a table has for them. @throws RangeError for an id that is not kept */
  putBack(pages: Uint32Array, table: PageTable): void {
    for (const page of pages) this.unshare(page);
    const list = new Uint32Array(this.#memory.buffer, this.#scratch.out, listLength);
    const ram = this.#ram;
    let end = 0;
    for (const page of pages) {
      const content = this.#resolve(table.get(page));
      const kind = this.#records.kind(content);
      if (content !== zeroPage && kind !== kinds.whole && kind !== kinds.staged) {
        this.read(content, ram + page * pageBytes);
        continue;
      }
      list[end++] = page;
      list[end++] = content === zeroPage ? this.#zeros : this.#records.address(content);
      if (end < list.length) continue;
      this.#kernels.putBack(this.#scratch.out, end / 2, ram);
      end = 0;
    }
    this.#kernels.putBack(this.#scratch.out, end / 2, ram);
  }

  /** Writes a content to an address of the memory. @throws RangeError for an id that is not kept */
  read(id: number, to: number): void {
    const content = this.#resolve(id);
    const records = this.#records;
    const address = records.address(content);
    switch (content === zeroPage ? kinds.same : records.kind(content)) {
      case kinds.same:
        this.#kernels.copy(to, this.#zeros, pageBytes);
        return;
      case kinds.whole:
      case kinds.staged:
        this.#kernels.copy(to, address, pageBytes);
        return;
      case kinds.compressed:
        if (this.#kernels.decompress(address, records.length(content), to, pageBytes) === pageBytes) return;
        break;
      case kinds.delta:
        this.read(records.base(content), to);
        if (this.#kernels.applyDelta(address, records.length(content), to) === 1) return;
    }
    throw new RangeError(`There is no page ${id}`);
  }

  /** A content, valid until the next call. @throws RangeError for an id that is not kept */
  view(id: number): Uint8Array {
    this.read(id, this.#scratch.a);
    return new Uint8Array(this.#memory.buffer, this.#scratch.a, pageBytes);
  }

  /** Whether two ids have the same content, whatever was looked at. @throws RangeError for ids that are not kept */
  isEqual(a: number, b: number): boolean {
    if (this.isSame(a, b)) return true;
    this.read(a, this.#scratch.b);
    return this.has(b, this.#scratch.b);
  }

  /** Whether a page of the memory has this content. */
  has(id: number, at: number): boolean {
    if (this.#resolve(id) === zeroPage) return this.#kernels.isZero(at) === 1;
    this.read(id, this.#scratch.a);
    return this.#kernels.isSame(at, this.#scratch.a) === 1;
  }

  /** Forgets every content that none of these tables has. Costs what the tables do not share. */
  keepOnly(tables: Iterable<PageTable>): void {
    const records = this.#records;
    const isKept = new Uint8Array(records.end);
    const keep = (id: number): void => {
      for (let at = id; at !== zeroPage && !isKept[at]; at = records.base(at)) isKept[at] = 1;
    };
    const seen = new Set<unknown>();
    for (const table of tables) table.eachId(keep, seen);
    // What a page had before was taken before it.
    for (const { id, before } of [...this.#young, ...this.#staged].reverse()) if (isKept[id]) keep(before);
    this.#young = this.#young.filter(({ id }) => isKept[id]);
    const [staged, gone] = [[] as Staged[], [] as Staged[]];
    for (const one of this.#staged) (isKept[one.id] ? staged : gone).push(one);
    this.#staged = staged;
    for (const one of gone) this.#free(one);
    for (let id = 1; id < isKept.length; id++) if (!isKept[id]) this.#remove(id);
  }

  #lookAt(staged: Staged): void {
    const { id, before, page } = staged;
    const content = this.#records.address(id);
    const hash = this.#hash(content);
    const equal = this.#kernels.isZero(content) === 1 ? zeroPage : this.#findEqual(content, hash);
    if (equal !== undefined) {
      this.#free(staged);
      this.#records.set(id, { kind: kinds.same, base: equal });
      return;
    }
    if (this.#isShared(staged)) this.unshare(page);
    this.#know(id, { kind: kinds.whole, address: this.#records.address(id), length: pageBytes, hash });
    this.#young.push({ id, before });
  }

  #isShared({ id, page }: Staged): boolean {
    return this.#shared.get(page) === id;
  }

  /** The content of a page that was taken is of no use any more. */
  #free(staged: Staged): void {
    if (this.#isShared(staged)) this.#leave(staged.page);
    else this.#arena.free(this.#records.address(staged.id), pageBytes);
  }

  #leave(page: number): void {
    this.#shared.delete(page);
    this.#onUnshared(page);
  }

  /** Keeps a page by what differs from what it had before, or compressed, where that is less. */
  #pack({ id, before }: Young): void {
    const page = this.#records.address(id);
    const hash = this.#records.hash(id);
    if (this.#keepDelta(id, { page, before, hash }) || this.#keepCompressed(id, { page, hash }))
      this.#arena.free(page, pageBytes);
  }

  /** The content that is the same as a page. */
  #findEqual(page: number, hash: number): number | undefined {
    const id = this.#byHash.get(hash);
    if (id === undefined) return undefined;
    this.read(id, this.#scratch.a);
    return this.#kernels.isSame(page, this.#scratch.a) === 1 ? id : undefined;
  }

  /** Keeps what differs from what the page had before, unless that is much. */
  #keepDelta(id: number, { page, before, hash }: { page: number; before: number; hash: number }): boolean {
    const base = this.#resolve(before);
    const depth = this.#records.depth(base) + 1;
    if (base === zeroPage || depth > mostDepth) return false;
    const { b, out } = this.#scratch;
    this.read(base, b);
    const length = this.#kernels.makeDelta(b, page, out, mostDeltaBytes);
    if (length >= 0) this.#keep(id, { kind: kinds.delta, from: out, length, base, depth, hash });
    return length >= 0;
  }

  #keepCompressed(id: number, { page, hash }: { page: number; hash: number }): boolean {
    const { out, table } = this.#scratch;
    const length = this.#kernels.compress(page, pageBytes, out, mostCompressedBytes, table);
    if (length >= 0) this.#keep(id, { kind: kinds.compressed, from: out, length, hash });
    return length >= 0;
  }

  #keep(
    id: number,
    content: { kind: number; from: number; length: number; base?: number; depth?: number; hash: number },
  ): void {
    const address = this.#arena.allocate(content.length);
    this.#kernels.copy(address, content.from, content.length);
    this.#know(id, { ...content, address });
  }

  #know(id: number, record: Parameters<PageRecords['set']>[1] & { hash: number }): void {
    this.#records.set(id, record);
    if (!this.#byHash.has(record.hash)) this.#byHash.set(record.hash, id);
  }

  #remove(id: number): void {
    const records = this.#records;
    const kind = records.kind(id);
    if (kind === kinds.free) return;
    if (kind === kinds.whole || kind === kinds.delta || kind === kinds.compressed) {
      this.#arena.free(records.address(id), records.length(id));
      if (this.#byHash.get(records.hash(id)) === id) this.#byHash.delete(records.hash(id));
    }
    records.remove(id);
  }

  #hash(page: number): number {
    this.#kernels.hash(page, this.#scratch.table);
    const [low = 0, high = 0] = new Uint32Array(this.#memory.buffer, this.#scratch.table, 2);
    return low * 2_097_152 + (high >>> 11);
  }

  /** The id that has the content itself. */
  #resolve(id: number): number {
    let at = id;
    while (at !== zeroPage && this.#records.kind(at) === kinds.same) at = this.#records.base(at);
    return at;
  }
}
