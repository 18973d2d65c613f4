import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { diskError } from './disk-error.ts';
import { FileDirectory } from './file-directory.ts';
import { assertSandboxId } from './sandbox-id.ts';
import { clearRemoved, makeFolder, removeFolder } from './store-folder.ts';
import { takeWriterLock } from './writer-lock.ts';

export interface OpenStoreOptions {
  /** Make a new store; without it, one must be there. */
  readonly create?: boolean;
  /** Look on while another process may write; `commit` and `sweep` then fail with `read-only`. */
  readonly readOnly?: boolean;
}

/**
 * Opens the durable store of sandbox `id`, which is `folder/<id>`. A writer holds the sandbox's lock
 * until the store is closed or its process ends. What a failed creation has made is removed.
 * @throws busy when another writes to it; not-found; already-exists; storage-full; invalid-argument
 */
export async function openHostStore(
  folder: string,
  id: string,
  options: OpenStoreOptions = {},
): Promise<SandboxStore> {
  assertSandboxId(id);
  const path = join(folder, id);
  try {
    if (options.create) makeFolder(folder, path);
    else if (!existsSync(path)) throw notFound(id);
    if (options.readOnly) return await LogStore.open(new FileDirectory(path, { readOnly: true }));
    return await openForWriting(path, options);
  } catch (error) {
    throw diskError(`open sandbox "${id}"`, error);
  }
}

/**
 * Deletes all that a sandbox has stored, seen from outside in one step, and what a crash has left of
 * earlier deletions; nothing to do when it is absent.
 * @throws busy while it is open for writing; invalid-argument
 */
export async function deleteHostStore(folder: string, id: string): Promise<void> {
  assertSandboxId(id);
  const path = join(folder, id);
  try {
    if (existsSync(path)) {
      const release = lock(path);
      try {
        removeFolder(folder, path);
      } finally {
        release();
      }
    }
    if (existsSync(folder)) clearRemoved(folder);
  } catch (error) {
    throw diskError(`delete sandbox "${id}"`, error);
  }
}

async function openForWriting(path: string, { create = false }: OpenStoreOptions): Promise<SandboxStore> {
  const release = lock(path);
  try {
    return await LogStore.open(new FileDirectory(path), { onClose: release });
  } catch (error) {
    if (create) rmSync(path, { recursive: true });
    release();
    throw error;
  }
}

function lock(path: string): () => void {
  const release = takeWriterLock(path);
  if (release) return release;
  throw new SandboxError('busy', `Cannot write to "${path}": another process has it open`);
}

function notFound(id: string): SandboxError {
  return new SandboxError('not-found', `Cannot open sandbox "${id}": nothing of it is stored here`);
}
