/** Where they are in the origin's private file system, beside the sandboxes' folder. */
const folderName = 'coppice-kept';

/** TypeScript 6 does not know the option yet: https://github.com/whatwg/fs/blob/main/proposals/MultipleReadersWriters.md */
type OpenHandle = (options: { mode: 'read-only' | 'readwrite' }) => Promise<FileSystemSyncAccessHandle>;

/**
 * Calls `use` with a file that was kept, and answers what it answers; `undefined` when there is none,
 * or somebody is writing it. Any tab may read it meanwhile. Only in a dedicated worker.
 */
export async function readKeptFile<T>(
  name: string,
  use: (file: FileSystemSyncAccessHandle) => T,
): Promise<T | undefined> {
  let file: FileSystemSyncAccessHandle;
  try {
    const folder = await keptFolder({ create: false });
    file = await openFile(await folder.getFileHandle(name), 'read-only');
  } catch {
    return undefined;
  }
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/**
 * Keeps `parts`, one after the other, under `name`, and forgets every other file. What is cut short
 * by a crash is for the reader to notice.
 * @throws QuotaExceededError, or NoModificationAllowedError while a tab reads or writes it
 */
export async function writeKeptFile(name: string, parts: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
  const folder = await keptFolder({ create: true });
  for (const other of await keptFiles()) if (other !== name) await folder.removeEntry(other);
  const file = await openFile(await folder.getFileHandle(name, { create: true }), 'readwrite');
  try {
    file.truncate(0);
    let at = 0;
    for (const part of parts) {
      file.write(part, { at });
      at += part.length;
    }
    file.flush();
  } finally {
    file.close();
  }
}

/** The names of what is kept: one, unless another was in use when it was to go. */
export async function keptFiles(): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const name of (await keptFolder({ create: false })).keys()) names.push(name);
  } catch {
    // There is no folder yet, or no such file system here.
  }
  return names;
}

export async function removeKeptFile(name: string): Promise<void> {
  await (await keptFolder({ create: true })).removeEntry(name);
}

async function keptFolder(options: { create: boolean }): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(folderName, options);
}

function openFile(
  file: FileSystemFileHandle,
  mode: 'read-only' | 'readwrite',
): Promise<FileSystemSyncAccessHandle> {
  const open: OpenHandle = file.createSyncAccessHandle.bind(file);
  return open({ mode });
}
