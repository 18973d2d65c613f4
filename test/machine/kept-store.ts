import type { ObjectId } from '../../tree/content/object-id.ts';
import { runningRef } from '../../tree/history/history-refs.ts';
import { decodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { Commit } from '../../tree/objects/sandbox-store.ts';

/** A store that outlives whoever closes it. */
export class KeptStore extends MemoryStore {
  readonly #objects = new Map<ObjectId, StoredObject>();

  override async close(): Promise<void> {}

  override async commit(commit: Commit): Promise<void> {
    await super.commit(commit);
    for (const object of commit.objects) this.#objects.set(object.id, object);
  }

  /** As it is now, with the objects as `change` makes them, or without. */
  async copy(
    change: (object: StoredObject) => StoredObject | undefined = (same) => same,
  ): Promise<KeptStore> {
    const copy = new KeptStore();
    const objects = [...this.#objects.values()].map(change).filter((object) => object !== undefined);
    await copy.commit({ objects, refs: this.refs('').map(([name, value]) => ({ name, value })) });
    return copy;
  }

  /** The machine as it was stored last. */
  running(): ReturnType<typeof decodeSnapshot> | undefined {
    const id = this.ref(runningRef) as ObjectId | undefined;
    const bytes = id && this.readSync(id);
    return bytes && decodeSnapshot(bytes);
  }
}
