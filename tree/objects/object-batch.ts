import type { ObjectId } from '../content/object-id.ts';
import { storedObject } from './hash-object.ts';
import type { StoredObject } from './object-store.ts';

/** The overhead of one object, as the number of bytes that could be hashed meanwhile. */
const objectWork = 1_024;

/** Collects new objects, each once, and says when there are enough to store them. */
export class ObjectBatch {
  readonly #sliceBytes: number;
  readonly #seen: Set<ObjectId> = new Set();
  #objects: StoredObject[] = [];
  /** Bytes hashed since the last `take`, known objects included. */
  #work = 0;

  constructor(sliceBytes: number) {
    this.#sliceBytes = sliceBytes;
  }

  get isFull(): boolean {
    return this.#work >= this.#sliceBytes;
  }

  /** Hashes canonical bytes and keeps them; answers their id. */
  add(bytes: Uint8Array): ObjectId {
    const object = storedObject(bytes);
    this.addObject(object);
    return object.id;
  }

  addObject(object: StoredObject): void {
    this.#work += object.bytes.length + objectWork;
    if (this.#seen.has(object.id)) return;
    this.#seen.add(object.id);
    this.#objects.push(object);
  }

  /** The objects that were added since the last call. */
  take(): StoredObject[] {
    const objects = this.#objects;
    this.#objects = [];
    this.#work = 0;
    return objects;
  }
}
