import { encodeText, type ShellText } from '../text.ts';

/** A map whose iteration is in an order of its own, which is put right when somebody looks. */
abstract class OrderedMap<Key> extends Map<Key, ShellText> {
  /** Whether there has been a value, be it `()`: `declare -p` shows none of an array that was only declared. */
  isAssigned = false;

  abstract arrange(): void;

  override [Symbol.iterator](): MapIterator<[Key, ShellText]> {
    this.arrange();
    return super[Symbol.iterator]();
  }

  override entries(): MapIterator<[Key, ShellText]> {
    this.arrange();
    return super.entries();
  }

  override keys(): MapIterator<Key> {
    this.arrange();
    return super.keys();
  }

  override values(): MapIterator<ShellText> {
    this.arrange();
    return super.values();
  }

  override forEach(visit: (value: ShellText, key: Key, map: Map<Key, ShellText>) => void): void {
    this.arrange();
    super.forEach(visit);
  }

  /** Takes all out, and puts it in again in this order. */
  protected refill(entries: readonly (readonly [Key, ShellText])[]): void {
    super.clear();
    for (const [key, value] of entries) super.set(key, value);
  }

  protected *unordered(): Generator<[Key, ShellText]> {
    yield* super.entries();
  }
}

/** Elements of an indexed array, in order of their indices. */
export class IndexedElements extends OrderedMap<number> {
  #highest = -1;
  #isArranged = true;

  static of(entries: Iterable<readonly [number, ShellText]>): IndexedElements {
    const elements = new IndexedElements();
    for (const [index, value] of entries) elements.set(index, value);
    return elements;
  }

  /** The highest index; -1 of none. */
  get highest(): number {
    if (this.#highest >= 0 && !this.has(this.#highest)) {
      this.#highest = -1;
      for (const [index] of this.unordered()) this.#highest = Math.max(this.#highest, index);
    }
    return this.#highest;
  }

  override set(index: number, value: ShellText): this {
    this.isAssigned = true;
    if (index > this.highest) this.#highest = index;
    else if (!this.has(index)) this.#isArranged = false;
    return super.set(index, value);
  }

  override clear(): void {
    super.clear();
    this.#highest = -1;
    this.#isArranged = true;
  }

  override arrange(): void {
    if (this.#isArranged) return;
    this.#isArranged = true;
    this.refill([...this.unordered()].sort(([one], [other]) => one - other));
  }
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** Elements of an associative array, in the order of bash's hash table (hashlib.c), which scripts print. */
export class AssociativeElements extends OrderedMap<ShellText> {
  #isArranged = true;

  static of(entries: Iterable<readonly [ShellText, ShellText]>): AssociativeElements {
    const elements = new AssociativeElements();
    for (const [key, value] of entries) elements.set(key, value);
    return elements;
  }

  override set(key: ShellText, value: ShellText): this {
    this.isAssigned = true;
    if (!this.has(key)) this.#isArranged = false;
    return super.set(key, value);
  }

  override arrange(): void {
    if (this.#isArranged) return;
    this.#isArranged = true;
    let buckets = 1024;
    while (this.size >= buckets * 2) buckets *= 4;
    const placed = [...this.unordered()].map((entry, at) => ({
      entry,
      at,
      bucket: bucketOf(entry[0], buckets),
    }));
    // What came last stands first in its bucket.
    placed.sort((one, other) => one.bucket - other.bucket || other.at - one.at);
    this.refill(placed.map(({ entry }) => entry));
  }
}

/** FNV-1 of the bytes, which are signed there. */
function bucketOf(key: ShellText, buckets: number): number {
  let hash = fnvOffset;
  for (const byte of encodeText(key)) hash = Math.imul(hash, fnvPrime) ^ ((byte << 24) >> 24);
  return (hash >>> 0) & (buckets - 1);
}

/** Whether an array has been assigned to since it was declared. */
export function isAssigned(elements: Map<number, ShellText> | Map<ShellText, ShellText>): boolean {
  return elements instanceof OrderedMap ? elements.isAssigned : true;
}
