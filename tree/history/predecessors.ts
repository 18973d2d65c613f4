import { objectKinds } from '../content/kinds.ts';
import type { ObjectId } from '../content/object-id.ts';
import { counterparts } from '../objects/counterparts.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { decodeSnapshot } from './snapshot-codec.ts';

/** The object of the receiver that is most like the snapshot that is sent. */
export interface ReceiverHas {
  /** A snapshot, or the tree of an image, if there is one. */
  readonly root: ObjectId | undefined;
  /** Reads an object that `root` refers to; `undefined` if it cannot be read now. */
  readonly read: (id: ObjectId) => Uint8Array | undefined;
}

/**
 * Walks a snapshot and an older one in parallel, and finds for each object the older object in the same place.
 * Objects come after one that refers to them, so only those still to come are in memory.
 */
export class Predecessors {
  readonly #read: ReceiverHas['read'];
  readonly #root: ObjectId | undefined;
  readonly #expected: Map<ObjectId, ObjectId> = new Map();

  constructor({ root, read }: ReceiverHas) {
    this.#root = root;
    this.#read = read;
  }

  /** The older object in the next object's place, if there is one. */
  take({ id, bytes }: StoredObject): StoredObject | undefined {
    const isRoot = bytes[0] === objectKinds.snapshotRecord;
    const before = isRoot ? this.#root : this.#expected.get(id);
    this.#expected.delete(id);
    const found = before === undefined || before === id ? undefined : this.#read(before);
    if (before === undefined || found === undefined) return undefined;
    for (const [next, was] of this.#below(bytes, { id: before, bytes: found })) {
      if (next !== was) this.#expected.set(next, was);
    }
    return { id: before, bytes: found };
  }

  #below(bytes: Uint8Array, before: StoredObject): Iterable<readonly [ObjectId, ObjectId]> {
    if (bytes[0] !== objectKinds.snapshotRecord) return counterparts(bytes, before);
    const { tree } = decodeSnapshot(bytes);
    if (before.bytes[0] !== objectKinds.snapshotRecord) return [[tree, before.id]];
    return [[tree, decodeSnapshot(before.bytes).tree]];
  }
}
