import type { LogDirectory, LogFile } from '../../../tree/log-store/log-file.ts';
import { storageError } from '../storage-error.ts';

/** The folder of all sandboxes' folders in the origin's private file system. */
const rootName = 'coppice';
const prefix = 'log-';

/**
 * The files of one sandbox in the origin's private file system: `coppice/<sandbox>/log-<n>`. Only in a dedicated
 * worker. Readers are allowed while a writer writes: handles are opened in a shared mode, where the browser has one. The
 * caller's lock ensures that there is one writer.
 */
export class OpfsDirectory implements LogDirectory {
  readonly backend = 'opfs';
  readonly #directory: FileSystemDirectoryHandle;
  readonly readOnly: boolean;

  private constructor(directory: FileSystemDirectoryHandle, readOnly: boolean) {
    this.#directory = directory;
    this.readOnly = readOnly;
  }

  /** @throws NotFoundError when the folder is absent and `create` is not set */
  static async open(
    sandbox: string,
    options: { readonly create?: boolean; readonly readOnly?: boolean } = {},
  ): Promise<OpfsDirectory> {
    const create = options.create ?? false;
    const root = await sandboxesFolder({ create });
    const directory = await root.getDirectoryHandle(sandbox, { create });
    return new OpfsDirectory(directory, options.readOnly ?? false);
  }

  async generations(): Promise<number[]> {
    const generations: number[] = [];
    for await (const name of this.#directory.keys()) {
      const generation = Number(name.slice(prefix.length));
      if (name.startsWith(prefix) && Number.isSafeInteger(generation)) generations.push(generation);
    }
    return generations;
  }

  async open(generation: number): Promise<LogFile> {
    const file = await this.#directory.getFileHandle(prefix + generation, { create: !this.readOnly });
    return this.readOnly && !canShareHandles() ? openAsItIs(file) : openSharedFile(file);
  }

  remove(generation: number): Promise<void> {
    return this.#directory.removeEntry(prefix + generation);
  }

  toError(action: string, error: unknown): Error {
    return storageError(action, error);
  }
}

/** Whether a sandbox has a folder here; `false` if there is no private file system. */
export async function hasOpfsFolder(sandbox: string): Promise<boolean> {
  try {
    const root = await sandboxesFolder({ create: false });
    await root.getDirectoryHandle(sandbox);
    return true;
  } catch {
    return false;
  }
}

/** Removes a sandbox's folder with all it holds; nothing to do when it is absent. */
export async function removeOpfsFolder(sandbox: string): Promise<void> {
  if (!(await hasOpfsFolder(sandbox))) return;
  const root = await sandboxesFolder({ create: false });
  await root.removeEntry(sandbox, { recursive: true });
}

/** Opens `name` in the folder of all sandboxes, calls `use`, and removes it: for the probe. */
export async function withScratchFile(name: string, use: (file: LogFile) => void): Promise<void> {
  const root = await sandboxesFolder({ create: true });
  const file = await openSharedFile(await root.getFileHandle(name, { create: true }));
  try {
    use(file);
  } finally {
    file.close();
    await root.removeEntry(name);
  }
}

async function sandboxesFolder(options: { create: boolean }): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(rootName, options);
}

/** TypeScript 6 does not know the option yet: https://github.com/whatwg/fs/blob/main/proposals/MultipleReadersWriters.md */
type OpenSharedHandle = (options: { mode: 'readwrite-unsafe' }) => Promise<FileSystemSyncAccessHandle>;

/** Firefox has no modes: a handle excludes every other one, of the same page too. */
function canShareHandles(): boolean {
  return 'mode' in FileSystemSyncAccessHandle.prototype;
}

/** For reading only: what is written by now, also while a writer has a handle. */
async function openAsItIs(handle: FileSystemFileHandle): Promise<LogFile> {
  const file = await handle.getFile();
  const reader = new FileReaderSync();
  const refuse = (): never => {
    throw new DOMException('It is open for reading only', 'NoModificationAllowedError');
  };
  return {
    read: (into, at) => {
      const bytes = new Uint8Array(reader.readAsArrayBuffer(file.slice(at, at + into.length)));
      into.set(bytes);
      return bytes.length;
    },
    write: refuse,
    truncate: refuse,
    flush: () => undefined,
    size: () => file.size,
    close: () => undefined,
  };
}

async function openSharedFile(file: FileSystemFileHandle): Promise<LogFile> {
  const open: OpenSharedHandle = file.createSyncAccessHandle.bind(file);
  const handle = await open({ mode: 'readwrite-unsafe' });
  return {
    read: (into, at) => handle.read(into as Uint8Array<ArrayBuffer>, { at }),
    write: (bytes, at) => {
      const written = handle.write(bytes as Uint8Array<ArrayBuffer>, { at });
      // Chromium answers a full disk with a negative number of 32 bits, read as a positive one.
      if (written > bytes.length) throw new DOMException('The disk is full', 'QuotaExceededError');
      return written;
    },
    truncate: (size) => handle.truncate(size),
    flush: () => handle.flush(),
    size: () => handle.getSize(),
    close: () => handle.close(),
  };
}
