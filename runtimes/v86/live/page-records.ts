/** How the content of a page is kept. */
export const kinds = {
  free: 0,
  /** As it is. */
  whole: 1,
  /** What differs from `base`. */
  delta: 2,
  /** An LZ4 block. */
  compressed: 3,
  /** The same as `base`. */
  same: 4,
  /** As it is, in RAM or out of it, until it is looked at. */
  staged: 5,
} as const;

/** What is known of each page by its id, in a few arrays of numbers. Id 0 is the page of zeros. */
export class PageRecords {
  #kind: Uint8Array<ArrayBuffer> = new Uint8Array(1_024);
  #depth: Uint8Array<ArrayBuffer> = new Uint8Array(1_024);
  #length: Uint16Array<ArrayBuffer> = new Uint16Array(1_024);
  #address: Uint32Array<ArrayBuffer> = new Uint32Array(1_024);
  #base: Uint32Array<ArrayBuffer> = new Uint32Array(1_024);
  #hash: Float64Array<ArrayBuffer> = new Float64Array(1_024);
  #free: number[] = [];
  #next = 1;

  /** More than any id that was given. */
  get end(): number {
    return this.#next;
  }

  /** Bytes that an id takes here. */
  static readonly bytesOfOne = 20;

  /** A new id. */
  add(): number {
    const id = this.#free.pop() ?? this.#next++;
    if (id >= this.#kind.length) this.#grow();
    return id;
  }

  set(
    id: number,
    record: { kind: number; address?: number; length?: number; base?: number; depth?: number; hash?: number },
  ): void {
    const { kind, address = 0, length = 0, base = 0, depth = 0, hash = 0 } = record;
    this.#kind[id] = kind;
    this.#address[id] = address;
    this.#length[id] = length;
    this.#base[id] = base;
    this.#depth[id] = depth;
    this.#hash[id] = hash;
  }

  remove(id: number): void {
    this.#kind[id] = kinds.free;
    this.#free.push(id);
  }

  kind(id: number): number {
    return this.#kind[id] as number;
  }

  address(id: number): number {
    return this.#address[id] as number;
  }

  length(id: number): number {
    return this.#length[id] as number;
  }

  base(id: number): number {
    return this.#base[id] as number;
  }

  /** How many deltas lie between it and a page that is kept without one. */
  depth(id: number): number {
    return this.#depth[id] as number;
  }

  hash(id: number): number {
    return this.#hash[id] as number;
  }

  #grow(): void {
    const length = this.#kind.length * 2;
    this.#kind = longer(this.#kind, new Uint8Array(length));
    this.#depth = longer(this.#depth, new Uint8Array(length));
    this.#length = longer(this.#length, new Uint16Array(length));
    this.#address = longer(this.#address, new Uint32Array(length));
    this.#base = longer(this.#base, new Uint32Array(length));
    this.#hash = longer(this.#hash, new Float64Array(length));
  }
}

function longer<Numbers extends { set(from: Numbers): void }>(from: Numbers, into: Numbers): Numbers {
  into.set(from);
  return into;
}
