import type { ObjectId } from '../../tree/content/object-id.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { Commit, SandboxStore } from '../../tree/objects/sandbox-store.ts';

/** Makes a durable store, has it filled, and answers it; leaves nothing where that fails. */
export type MakeStore = (fill: (store: SandboxStore) => Promise<void>) => Promise<SandboxStore>;

/**
 * The store of a sandbox that runs before it has one: nothing of it is durable, until its first commit makes the
 * store, with the objects that the sandbox came with, in one step. One that fails may be tried again.
 */
export class LazyStore implements SandboxStore {
  readonly #make: MakeStore;
  #objects: readonly StoredObject[];
  #store: SandboxStore;
  #isMade = false;
  /** Commits before it was made, one after the other. */
  #making: Promise<void> = Promise.resolve();

  private constructor(store: MemoryStore, objects: readonly StoredObject[], make: MakeStore) {
    this.#store = store;
    this.#objects = objects;
    this.#make = make;
  }

  static async open(objects: readonly StoredObject[], make: MakeStore): Promise<LazyStore> {
    const store = new MemoryStore();
    await store.put(objects);
    return new LazyStore(store, objects, make);
  }

  get backend(): SandboxStore['backend'] {
    return this.#store.backend;
  }

  get sizeBytes(): number {
    return this.#store.sizeBytes;
  }

  get sweptBytes(): number {
    return this.#store.sweptBytes;
  }

  get corrupt(): ReadonlySet<ObjectId> {
    return this.#store.corrupt;
  }

  readSync(id: ObjectId): Uint8Array | undefined {
    return this.#store.readSync(id);
  }

  sizeOf(id: ObjectId): number {
    return this.#store.sizeOf(id);
  }

  ref(name: string): string | undefined {
    return this.#store.ref(name);
  }

  refs(prefix: string): [name: string, value: string][] {
    return this.#store.refs(prefix);
  }

  has(ids: readonly ObjectId[]): Promise<Set<ObjectId>> {
    return this.#store.has(ids);
  }

  get(id: ObjectId): Promise<Uint8Array | undefined> {
    return this.#store.get(id);
  }

  put(objects: readonly StoredObject[]): Promise<void> {
    return this.commit({ objects, refs: [] });
  }

  commit(commit: Commit): Promise<void> {
    if (this.#isMade) return this.#store.commit(commit);
    const done = this.#making.then(() => this.#commitFirst(commit));
    this.#making = done.catch(() => undefined);
    return done;
  }

  sweep(live: ReadonlySet<ObjectId>): Promise<number> {
    return this.#isMade ? this.#store.sweep(live) : Promise.resolve(0);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #commitFirst(commit: Commit): Promise<void> {
    if (this.#isMade) return this.#store.commit(commit);
    await this.#store.has([]); // It may be closed.
    const objects = [...this.#objects, ...commit.objects];
    this.#store = await this.#make((store) => store.commit({ ...commit, objects }));
    this.#isMade = true;
    this.#objects = [];
  }
}
