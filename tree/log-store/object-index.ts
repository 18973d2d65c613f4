import { idFromBytes, writeIdBytes } from '../content/id-bytes.ts';
import type { ObjectId } from '../content/object-id.ts';

/** Where an object's bytes are in the log, and their xxHash32. */
export interface Location {
  readonly at: number;
  readonly length: number;
  readonly checksum: number;
}

const keyBytes = 32;
const none = 0;

/**
 * Object id → location in about 60 bytes an entry, in typed arrays: a hash table of entry numbers
 * over columns. An id is a hash, so its first four bytes are its slot. A removed entry keeps its
 * column place (`present` is 0) for the day when the object is put again.
 */
export class ObjectIndex {
  #slots = new Uint32Array(1_024);
  #keys = new Uint8Array(512 * keyBytes);
  #at = new Float64Array(512);
  #lengths = new Uint32Array(512);
  #checksums = new Uint32Array(512);
  #present = new Uint8Array(512);
  #entries = 0;
  #size = 0;
  readonly #key = new Uint8Array(keyBytes);

  /** Objects in the index. */
  get size(): number {
    return this.#size;
  }

  has(id: ObjectId): boolean {
    return this.#find(id) !== undefined;
  }

  get(id: ObjectId): Location | undefined {
    const entry = this.#find(id);
    return entry === undefined ? undefined : this.#location(entry);
  }

  set(id: ObjectId, location: Location): void {
    writeIdBytes(id, this.#key, 0);
    this.#set(location);
  }

  /** Like `set`, for an id that is 32 raw bytes at `offset` of `bytes`. */
  setRaw(bytes: Uint8Array, offset: number, location: Location): void {
    for (let index = 0; index < keyBytes; index++) this.#key[index] = bytes[offset + index] as number;
    this.#set(location);
  }

  delete(id: ObjectId): boolean {
    const entry = this.#find(id);
    if (entry === undefined) return false;
    this.#present[entry] = 0;
    this.#size--;
    return true;
  }

  /** Every object in the order in which it was first set, which is nearly the order in the log. */
  *entries(): Generator<[id: ObjectId, location: Location]> {
    for (let entry = 0; entry < this.#entries; entry++) {
      if (this.#present[entry] === 1)
        yield [
          idFromBytes(this.#keys.subarray(entry * keyBytes, (entry + 1) * keyBytes)),
          this.#location(entry),
        ];
    }
  }

  #find(id: ObjectId): number | undefined {
    writeIdBytes(id, this.#key, 0);
    const entry = this.#slots[this.#slot()] as number;
    if (entry === none || this.#present[entry - 1] === 0) return undefined;
    return entry - 1;
  }

  #location(entry: number): Location {
    return {
      at: this.#at[entry] as number,
      length: this.#lengths[entry] as number,
      checksum: this.#checksums[entry] as number,
    };
  }

  #set(location: Location): void {
    const slot = this.#slot();
    let entry = (this.#slots[slot] as number) - 1;
    if (entry < 0) {
      entry = this.#entries++;
      if (entry === this.#lengths.length) this.#growColumns();
      this.#slots[slot] = entry + 1;
      this.#keys.set(this.#key, entry * keyBytes);
    }
    if (this.#present[entry] === 0) this.#size++;
    this.#present[entry] = 1;
    this.#at[entry] = location.at;
    this.#lengths[entry] = location.length;
    this.#checksums[entry] = location.checksum;
    if (this.#entries * 2 > this.#slots.length) this.#growSlots();
  }

  /** The slot of `#key`: the one that names its entry, or the free one where it belongs. */
  #slot(): number {
    const mask = this.#slots.length - 1;
    let slot = startOf(this.#key, 0) & mask;
    for (;;) {
      const entry = this.#slots[slot] as number;
      if (entry === none || this.#isKeyOf(entry - 1)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isKeyOf(entry: number): boolean {
    const start = entry * keyBytes;
    for (let index = 0; index < keyBytes; index++) {
      if (this.#keys[start + index] !== this.#key[index]) return false;
    }
    return true;
  }

  #growColumns(): void {
    this.#keys = grown(this.#keys, new Uint8Array(this.#keys.length * 2));
    this.#at = grown(this.#at, new Float64Array(this.#at.length * 2));
    this.#lengths = grown(this.#lengths, new Uint32Array(this.#lengths.length * 2));
    this.#checksums = grown(this.#checksums, new Uint32Array(this.#checksums.length * 2));
    this.#present = grown(this.#present, new Uint8Array(this.#present.length * 2));
  }

  #growSlots(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.#entries; entry++) {
      let slot = startOf(this.#keys, entry * keyBytes) & mask;
      while (slots[slot] !== none) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}

function startOf(key: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [key[at], key[at + 1], key[at + 2], key[at + 3]];
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

function grown<Column extends Uint8Array | Uint32Array | Float64Array>(from: Column, into: Column): Column {
  into.set(from);
  return into;
}
