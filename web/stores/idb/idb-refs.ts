import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { RefStore } from '../../../tree/objects/object-store.ts';
import { assertRefChange } from '../../../tree/objects/sandbox-store.ts';
import { storageError } from '../storage-error.ts';

interface Schema extends DBSchema {
  refs: { key: string; value: string };
}

const version = 1;

/** Refs of the whole origin, such as the list of sandboxes, in one IndexedDB database that all tabs share. */
export class IdbRefs implements RefStore, Disposable {
  readonly #database: IDBPDatabase<Schema>;

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
  }

  static async open(name = 'coppice'): Promise<IdbRefs> {
    try {
      const database = await openDB<Schema>(name, version, {
        upgrade: (database) => void database.createObjectStore('refs'),
        blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      });
      return new IdbRefs(database);
    } catch (error) {
      throw storageError('open the list of sandboxes', error);
    }
  }

  get(name: string): Promise<string | undefined> {
    return this.#database.get('refs', name);
  }

  async list(prefix: string): Promise<[name: string, value: string][]> {
    const found: [string, string][] = [];
    const transaction = this.#database.transaction('refs');
    for await (const { key, value } of transaction.store.iterate(IDBKeyRange.lowerBound(prefix))) {
      if (!key.startsWith(prefix)) break;
      found.push([key, value]);
    }
    return found;
  }

  async compareAndSwap(
    name: string,
    expected: string | undefined,
    next: string | undefined,
  ): Promise<boolean> {
    assertRefChange({ name, value: next });
    try {
      const transaction = this.#database.transaction('refs', 'readwrite', { durability: 'strict' });
      const refs = transaction.store;
      const isExpected = (await refs.get(name)) === expected;
      if (isExpected) await (next === undefined ? refs.delete(name) : refs.put(next, name));
      await transaction.done;
      return isExpected;
    } catch (error) {
      throw storageError('save to the list of sandboxes', error);
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
