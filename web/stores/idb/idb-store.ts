import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import { SandboxError } from '../../../protocol/errors.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { storeLimits } from '../../../tree/log-store/store-limits.ts';
import { hashObject } from '../../../tree/objects/hash-object.ts';
import { byName } from '../../../tree/objects/memory-store.ts';
import type { StoredObject } from '../../../tree/objects/object-store.ts';
import { assertRefChange, type Commit, type SandboxStore } from '../../../tree/objects/sandbox-store.ts';
import { storageError } from '../storage-error.ts';

interface Schema extends DBSchema {
  objects: { key: string; value: Uint8Array };
  refs: { key: string; value: string };
}

interface OpenOptions {
  readonly readOnly?: boolean;
  /** Called once the database is closed. */
  readonly onClose?: () => void;
}

const prefix = 'coppice/';
const version = 1;
const loadedTogether = 256;

/**
 * A sandbox's store in IndexedDB, where the origin has no private file system. Everything is also
 * in memory, since IndexedDB cannot be read synchronously: this backend suits small sandboxes.
 */
export class IdbStore implements SandboxStore {
  readonly backend = 'idb';
  readonly #database: IDBPDatabase<Schema>;
  readonly #readOnly: boolean;
  readonly #onClose: (() => void) | undefined;
  readonly #objects = new Map<ObjectId, Uint8Array>();
  readonly #refs = new Map<string, string>();
  readonly #corrupt = new Set<ObjectId>();
  #sizeBytes = 0;
  /** Of this connection alone: the database does not say what a sweep left. */
  #sweptBytes = 0;
  #closed = false;
  /** Commits and sweeps run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(database: IDBPDatabase<Schema>, options: OpenOptions) {
    this.#database = database;
    this.#readOnly = options.readOnly ?? false;
    this.#onClose = options.onClose;
  }

  /** Opens or creates the database and reads all of it. */
  static async open(sandbox: string, options: OpenOptions = {}): Promise<IdbStore> {
    try {
      const database = await openDB<Schema>(prefix + sandbox, version, {
        upgrade(database) {
          database.createObjectStore('objects');
          database.createObjectStore('refs');
        },
        // Another tab deletes the sandbox: keeping the connection would block it for ever.
        blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      });
      const store = new IdbStore(database, options);
      await store.#load();
      return store;
    } catch (error) {
      throw storageError('open the store', error);
    }
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get sweptBytes(): number {
    return this.#sweptBytes;
  }

  get corrupt(): ReadonlySet<ObjectId> {
    return this.#corrupt;
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
    this.#assertWritable();
    commit.refs.forEach(assertRefChange);
    // The caller may use its buffers again as soon as this function returns.
    const objects = commit.objects.map(({ id, bytes }) => ({ id, bytes: copyOf(bytes) }));
    await this.#inTurn('save to the store', async () => {
      const fresh = new Map(objects.map(({ id, bytes }) => [id, bytes]));
      for (const id of fresh.keys()) if (this.#objects.has(id)) fresh.delete(id);
      const transaction = this.#database.transaction(['objects', 'refs'], 'readwrite', {
        durability: 'strict',
      });
      const writes: Promise<unknown>[] = [];
      for (const [id, bytes] of fresh) writes.push(transaction.objectStore('objects').put(bytes, id));
      for (const { name, value } of commit.refs) {
        const refs = transaction.objectStore('refs');
        writes.push(value === undefined ? refs.delete(name) : refs.put(value, name));
      }
      // `done` rejects for them all; on a full disk it is the transaction that fails, not a put.
      await Promise.all([...writes, transaction.done]);
      for (const [id, bytes] of fresh) this.#remember(id, bytes);
      for (const { name, value } of commit.refs) {
        if (value === undefined) this.#refs.delete(name);
        else this.#refs.set(name, value);
      }
    });
  }

  async sweep(live: ReadonlySet<ObjectId>): Promise<number> {
    this.#assertWritable();
    return this.#inTurn('collect garbage', async () => {
      const dead = [...this.#objects].filter(([id]) => !live.has(id));
      const before = this.#sizeBytes;
      // At once, so that a concurrent `has` reports them absent, and its caller puts them again.
      for (const [id] of dead) this.#forget(id);
      try {
        const transaction = this.#database.transaction('objects', 'readwrite', { durability: 'strict' });
        const ids = [...dead.map(([id]) => id), ...this.#corrupt];
        await Promise.all([...ids.map((id) => transaction.store.delete(id)), transaction.done]);
      } catch (error) {
        for (const [id, bytes] of dead) this.#remember(id, bytes);
        throw error;
      }
      this.#sweptBytes = this.#sizeBytes;
      return before - this.#sizeBytes;
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turn;
    this.#database.close();
    this.#onClose?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Reads every object separately: Chromium stores large values in files without a checksum, and a missing file
   * would abort a cursor over all objects.
   */
  async #load(): Promise<void> {
    const names = await this.#database.getAllKeys('refs');
    const values = await this.#database.getAll('refs');
    names.forEach((name, index) => void this.#refs.set(name, values[index] ?? ''));
    const ids = (await this.#database.getAllKeys('objects')) as ObjectId[];
    for (let at = 0; at < ids.length; at += loadedTogether) {
      await Promise.all(ids.slice(at, at + loadedTogether).map((id) => this.#loadObject(id)));
    }
  }

  async #loadObject(id: ObjectId): Promise<void> {
    const bytes = await this.#database.get('objects', id).catch(() => undefined);
    if (bytes instanceof Uint8Array && hashObject(bytes) === id) this.#remember(id, bytes);
    else this.#corrupt.add(id);
  }

  #remember(id: ObjectId, bytes: Uint8Array): void {
    this.#objects.set(id, bytes);
    this.#corrupt.delete(id);
    this.#sizeBytes += bytes.length;
  }

  #forget(id: ObjectId): void {
    this.#sizeBytes -= this.#objects.get(id)?.length ?? 0;
    this.#objects.delete(id);
  }

  #inTurn<Value>(action: string, work: () => Promise<Value>): Promise<Value> {
    const result = this.#turn.then(work).catch((error) => {
      throw storageError(action, error);
    });
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #assertOpen(): void {
    if (this.#closed) throw new SandboxError('connection-lost', 'The store is closed');
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.#readOnly) throw new SandboxError('read-only', 'Cannot write: the store is read-only');
  }
}

/** Whether IndexedDB holds a store of that sandbox. */
export async function hasIdbStore(sandbox: string): Promise<boolean> {
  const databases = await indexedDB.databases();
  return databases.some(({ name }) => name === prefix + sandbox);
}

/** Deletes a sandbox's store; nothing to do when it is absent. */
export function removeIdbStore(sandbox: string): Promise<void> {
  return deleteDB(prefix + sandbox);
}

function copyOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= storeLimits.objectBytes) return bytes.slice();
  throw new SandboxError(
    'limit-exceeded',
    `Cannot store an object of ${bytes.length} bytes: ${storeLimits.objectBytes} is the most`,
  );
}
