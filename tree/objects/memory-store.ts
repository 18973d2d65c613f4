import type { ObjectId } from '../content/object-id.ts';
import type { StoredObject } from './object-store.ts';
import { assertRefChange, type Commit, type SandboxStore } from './sandbox-store.ts';

/** A store that forgets everything with the process: the executable definition of `SandboxStore`. */
export class MemoryStore implements SandboxStore {
  readonly backend = 'memory';
  readonly corrupt: ReadonlySet<ObjectId> = new Set();
  readonly #objects = new Map<ObjectId, Uint8Array>();
  readonly #refs = new Map<string, string>();
  #sizeBytes = 0;
  #sweptBytes: number | undefined;
  #closed = false;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get sweptBytes(): number {
    return this.#sweptBytes ?? 0;
  }

  async has(ids: readonly ObjectId[]): Promise<Set<ObjectId>> {
    this.#assertOpen();
    return new Set(ids.filter((id) => this.#objects.has(id)));
  }

  async get(id: ObjectId): Promise<Uint8Array | undefined> {
    return this.readSync(id);
  }

  readSync(id: ObjectId): Uint8Array | undefined {
    this.#assertOpen();
    return this.#objects.get(id)?.slice();
  }

  sizeOf(id: ObjectId): number {
    this.#assertOpen();
    return this.#objects.get(id)?.length ?? 0;
  }

  ref(name: string): string | undefined {
    this.#assertOpen();
    return this.#refs.get(name);
  }

  refs(prefix: string): [name: string, value: string][] {
    this.#assertOpen();
    return [...this.#refs].filter(([name]) => name.startsWith(prefix)).sort(byName);
  }

  put(objects: readonly StoredObject[]): Promise<void> {
    return this.commit({ objects, refs: [] });
  }

  async commit(commit: Commit): Promise<void> {
    this.#assertOpen();
    commit.refs.forEach(assertRefChange);
    for (const { id, bytes } of commit.objects) {
      if (this.#objects.has(id)) continue;
      this.#objects.set(id, bytes.slice());
      this.#sizeBytes += bytes.length;
    }
    this.#sweptBytes ??= this.#sizeBytes;
    for (const { name, value } of commit.refs) {
      if (value === undefined) this.#refs.delete(name);
      else this.#refs.set(name, value);
    }
  }

  async sweep(live: ReadonlySet<ObjectId>): Promise<number> {
    this.#assertOpen();
    const before = this.#sizeBytes;
    for (const [id, bytes] of this.#objects) {
      if (live.has(id)) continue;
      this.#objects.delete(id);
      this.#sizeBytes -= bytes.length;
    }
    this.#sweptBytes = this.#sizeBytes;
    return before - this.#sizeBytes;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('The store is closed');
  }
}

/** Sorts refs by name, in UTF-16 order. */
export function byName(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}
