import type { Page } from '@playwright/test';

/** What a search of an origin's storage has read and found. */
export interface StorageSearch {
  /** Files of the private file system, and values of IndexedDB. */
  readonly files: number;
  readonly values: number;
  /** Of the texts that were looked for, those that are there. */
  readonly found: readonly string[];
}

/** Searches the private file system and every IndexedDB of a page's origin, byte by byte, for texts in UTF-8. */
export function searchStorage(page: Page, texts: readonly string[]): Promise<StorageSearch> {
  return page.evaluate(searchHere, texts);
}

/** In the page. */
async function searchHere(texts: readonly string[]): Promise<StorageSearch> {
  const found = new Set<string>();
  const look = (bytes: Uint8Array): void => {
    // One character for each byte, as the texts are.
    let all = '';
    for (let at = 0; at < bytes.length; at += 8_192)
      all += String.fromCharCode(...bytes.subarray(at, at + 8_192));
    for (const text of texts) {
      if (all.includes(String.fromCharCode(...new TextEncoder().encode(text)))) found.add(text);
    }
  };
  const lookAt = (value: unknown): void => {
    if (typeof value === 'string') look(new TextEncoder().encode(value));
    else if (value instanceof ArrayBuffer) look(new Uint8Array(value));
    else if (ArrayBuffer.isView(value))
      look(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) lookAt(part);
  };
  const readFolder = async (folder: FileSystemDirectoryHandle): Promise<number> => {
    let files = 0;
    for await (const entry of folder.values()) {
      if (entry instanceof FileSystemDirectoryHandle) files += await readFolder(entry);
      else if (entry instanceof FileSystemFileHandle) {
        look(new Uint8Array(await (await entry.getFile()).arrayBuffer()));
        files += 1;
      }
    }
    return files;
  };
  const ended = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const readDatabase = async (name: string): Promise<number> => {
    const database = await ended(indexedDB.open(name));
    let values = 0;
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store);
      for (const value of [...(await ended(objects.getAll())), ...(await ended(objects.getAllKeys()))]) {
        lookAt(value);
        values += 1;
      }
    }
    database.close();
    return values;
  };
  const files = await readFolder(await navigator.storage.getDirectory());
  let values = 0;
  for (const { name } of await indexedDB.databases())
    if (name !== undefined) values += await readDatabase(name);
  return { files, values, found: [...found] };
}
