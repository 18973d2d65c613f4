import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LogStore } from '../../tree/log-store/log-store.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { diskError } from './disk-error.ts';
import { FileDirectory } from './file-directory.ts';
import { assertSandboxId } from './sandbox-id.ts';
import { makeFolder } from './store-folder.ts';

/** What a new store begins with. */
export interface CloneOptions {
  /** The objects of this store, which stays as it is and is its owner's. */
  readonly from: SandboxStore;
  readonly refs: ReadonlyMap<string, string>;
}

/**
 * Makes the store of sandbox `id`, `folder/<id>`, which has the files of another one in common with it
 * (`LogStore.cloneInto`). It is closed and durable when this resolves to `true`; `false`, or a failure,
 * leaves nothing behind. No lock: nobody else knows of the sandbox, and nothing here waits.
 * @throws already-exists, storage-full, invalid-argument
 */
export async function cloneHostStore(
  folder: string,
  id: string,
  { from, refs }: CloneOptions,
): Promise<boolean> {
  assertSandboxId(id);
  if (!(from instanceof LogStore)) return false;
  const path = join(folder, id);
  try {
    makeFolder(folder, path);
  } catch (error) {
    throw diskError(`make sandbox "${id}"`, error);
  }
  let isMade = false;
  try {
    isMade = from.cloneInto(new FileDirectory(path), refs);
    return isMade;
  } finally {
    if (!isMade) rmSync(path, { recursive: true });
  }
}
