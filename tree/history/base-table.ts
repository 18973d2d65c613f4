import type { ObjectId } from '../objects/object-id.ts';
import { historyLimits } from './limits.ts';
import { objectReferences } from './object-references.ts';

/**
 * Objects that the receiver of a stream has, by number (protocol/SPEC.md, SN-12): each that a delta was made
 * against, and all that it refers to, since what changed below something is near what was below it. Both ends
 * keep one and add the same to it, so a number says which object is meant.
 */
export class BaseTable {
  readonly #ids: ObjectId[] = [];
  readonly #numbers: Map<ObjectId, number> = new Map();
  readonly #used: Set<ObjectId> = new Set();

  /** From 1 on; 0 when it has none yet. */
  numberOf(id: ObjectId): number {
    return this.#numbers.get(id) ?? 0;
  }

  at(number: number): ObjectId | undefined {
    return this.#ids[number - 1];
  }

  /**
   * Notes that a delta is made against `id`, whose bytes these are. Says whether there is room.
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
