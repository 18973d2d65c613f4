/** Their names in the root of the origin's private file system, beside the sandboxes' folder: each level is a round trip. */
export const cacheFiles = { start: 'coppice-kept', first: 'coppice-kept-first' } as const;
type KeptFile = (typeof cacheFiles)[keyof typeof cacheFiles];

/** TypeScript 6 does not know the option yet: https://github.com/whatwg/fs/blob/main/proposals/MultipleReadersWriters.md */
type OpenHandle = (options: { mode: 'read-only' | 'readwrite' }) => Promise<FileSystemSyncAccessHandle>;

/**
 * Opens a cache file, which the caller closes; `undefined` if there is none, or another tab is writing it. Several
 * tabs may read it at once. Only in a dedicated worker.
 */
export async function openCacheFile(name: KeptFile): Promise<FileSystemSyncAccessHandle | undefined> {
  try {
    return await openKept(name, { mode: 'read-only', create: false });
  } catch {
    return undefined;
  }
}

/**
 * Replaces a cache file by `parts`, one after the other. A crash can truncate the file, which the reader must
 * detect.
 * @throws QuotaExceededError, or NoModificationAllowedError while a tab reads or writes it
 */
export async function writeCacheFile(
  name: KeptFile,
  parts: readonly Uint8Array<ArrayBuffer>[],
): Promise<void> {
  const file = await openKept(name, { mode: 'readwrite', create: true });
  try {
    file.truncate(0);
    let at = 0;
    for (const part of parts) at += file.write(part, { at });
    file.flush();
    const sizeBytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (at < sizeBytes) throw new DOMException(`Only ${at} of ${sizeBytes} bytes fit`, 'QuotaExceededError');
  } catch (error) {
    file.truncate(0); // The room is for what the user makes.
    throw error;
  } finally {
    file.close();
  }
}

async function openKept(
  name: KeptFile,
  { mode, create }: { mode: 'read-only' | 'readwrite'; create: boolean },
): Promise<FileSystemSyncAccessHandle> {
  const root = await navigator.storage.getDirectory();
  const file = await root.getFileHandle(name, { create });
  const open: OpenHandle = file.createSyncAccessHandle.bind(file);
  return open({ mode });
}
