import type { ObjectId } from '../content/object-id.ts';

/**
 * An immutable, content-addressed value. `bytes` is the canonical form, kind byte included
 * (protocol/SPEC.md, OB-2); the store keeps its own copy.
 */
export interface StoredObject {
  readonly id: ObjectId;
  readonly bytes: Uint8Array;
}

/**
 * Where objects live. Ids are hashes of canonical bytes, so an object never changes and a second
 * `put` of the same id is free. A reader verifies what crossed a trust boundary; a store does not
 * have to. Every implementation runs `objectStoreSuite` (test/conformance).
 */
export interface ObjectStore extends AsyncDisposable {
  /** The subset of `ids` that is present. */
  has(ids: readonly ObjectId[]): Promise<Set<ObjectId>>;
  /** The object's bytes, owned by the caller, or `undefined` when absent. A torn or altered object is absent. */
  get(id: ObjectId): Promise<Uint8Array | undefined>;
  /** Durable when it resolves: all of `objects` or, after a crash, possibly none. @throws storage-full */
  put(objects: readonly StoredObject[]): Promise<void>;
  /** Forgets every object that is not in `live`; a crash during it loses no live object. Resolves to the bytes freed. */
  sweep(live: ReadonlySet<ObjectId>): Promise<number>;
}

/**
 * Named pointers with compare-and-swap. A snapshot is published by moving a ref *after* its
 * objects are durable, so a crash leaves the old state or the new one. Every implementation runs
 * `refStoreSuite` (test/conformance).
 */
export interface RefStore {
  /** The value of `name`, or `undefined`. */
  get(name: string): Promise<string | undefined>;
  /** All refs whose name starts with `prefix`, sorted by name. */
  list(prefix: string): Promise<[name: string, value: string][]>;
  /**
   * Sets `name` to `next` (or deletes it when `next` is `undefined`) if its value is still
   * `expected`. Resolves to whether it was. Durable when it resolves.
   */
  compareAndSwap(name: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
}
