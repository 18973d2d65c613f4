import { counterparts } from '../objects/counterparts.ts';
import { objectKinds } from '../objects/kinds.ts';
import type { ObjectId } from '../objects/object-id.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { decodeSnapshot } from './snapshot-codec.ts';

/** What the receiver of a snapshot has that is most like it. */
export interface ReceiverHas {
  /** A snapshot, or the tree of an image. */
  readonly root: ObjectId;
  /** Of what `root` refers to; `undefined` for what cannot be had now. */
  readonly read: (id: ObjectId) => Uint8Array | undefined;
}

/**
 * Walks a snapshot and an older one side by side: for each object the one that stood in its place. It is
 * told of every object after one that refers to it, and so keeps only what is still to come.
 */
export class Predecessors {
  readonly #read: ReceiverHas['read'];
  readonly #root: ObjectId;
  readonly #expected: Map<ObjectId, ObjectId> = new Map();

  constructor({ root, read }: ReceiverHas) {
    this.#root = root;
    this.#read = read;
  }

  /** The predecessor of the next object, if there is one. */
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
