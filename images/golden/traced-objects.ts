import type { ContentSource } from '../../tree/content/content-source.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';

/** Objects in memory that note which of them are read. */
export class TracedObjects implements ContentSource {
  readonly #objects: ReadonlyMap<ObjectId, Uint8Array>;
  #touched: Set<ObjectId> = new Set();

  constructor(objects: readonly StoredObject[]) {
    this.#objects = new Map(objects.map(({ id, bytes }) => [id, bytes]));
  }

  /** What was read since `startTrace`. */
  get touched(): ReadonlySet<ObjectId> {
    return this.#touched;
  }

  startTrace(): void {
    this.#touched = new Set();
  }

  read(id: ObjectId): Uint8Array {
    const bytes = this.#objects.get(id);
    if (!bytes) throw new RangeError(`The image has no object ${id}`);
    this.#touched.add(id);
    return bytes;
  }
}
