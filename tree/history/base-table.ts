import type { ObjectId } from '../content/object-id.ts';
import { historyLimits } from './limits.ts';
import { objectReferences } from './object-references.ts';

/**
 * Numbers of objects that the receiver of a stream has (protocol/SPEC.md, SN-12): each base of a delta, and all
 * objects that the base refers to, since these are likely bases of the next deltas. Sender and receiver each keep a
 * table and add the same objects in the same order, so a number names the same object on both sides.
 */
export class BaseTable {
  readonly #ids: ObjectId[] = [];
  readonly #numbers: Map<ObjectId, number> = new Map();
  readonly #used: Set<ObjectId> = new Set();

  /** The object's number, from 1 on; 0 if it has none yet. */
  numberOf(id: ObjectId): number {
    return this.#numbers.get(id) ?? 0;
  }

  at(number: number): ObjectId | undefined {
    return this.#ids[number - 1];
  }

  /**
   * Adds `id`, the base of a delta, and what its `bytes` refer to. Answers whether there was room.
   * @throws RangeError when it is not canonical
   */
  use(id: ObjectId, bytes: Uint8Array): boolean {
    if (this.#used.has(id)) return true;
    const references = objectReferences(bytes);
    if (this.#ids.length + 1 + references.length > historyLimits.streamBases) return false;
    this.#used.add(id);
    for (const each of [id, ...references]) this.#add(each);
    return true;
  }

  #add(id: ObjectId): void {
    if (this.#numbers.has(id)) return;
    this.#ids.push(id);
    this.#numbers.set(id, this.#ids.length);
  }
}
