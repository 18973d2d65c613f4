import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { hasIdbStore, IdbStore, removeIdbStore } from './idb/idb-store.ts';
import { hasOpfsFolder, OpfsDirectory, removeOpfsFolder, withScratchFile } from './opfs/opfs-directory.ts';
import { takeWriterLock } from './sandbox-lock.ts';
import { storageError } from './storage-error.ts';

export interface OpenStoreOptions {
  /** Create a new store; otherwise one must exist. */
  readonly create?: boolean;
  /** Open read-only, while another tab may write; `commit` and `sweep` then fail with `read-only`. */
  readonly readOnly?: boolean;
}

/**
 * Opens the durable store of a sandbox. A new one is created where a probe of this browser succeeds: in the
 * origin's private file system, else in IndexedDB. Call it in a dedicated worker. A writer holds the sandbox's lock
 * until the store is closed.
 * @throws busy when another tab writes to it; not-found; already-exists; storage-full
 */
export async function openSandboxStore(
  sandbox: string,
  options: OpenStoreOptions = {},
): Promise<SandboxStore> {
  assertSandboxId(sandbox);
  const release = options.readOnly ? () => undefined : await takeWriterLock(sandbox);
  if (release === undefined) {
    throw new SandboxError('busy', `Cannot open sandbox "${sandbox}": another tab has it open`);
  }
  try {
    return await openBackend(sandbox, { ...options, onClose: release });
  } catch (error) {
    release();
    throw storageError(`open sandbox "${sandbox}"`, error);
  }
}

/** Deletes all that a sandbox has stored. @throws busy while a tab has it open for writing */
export async function deleteSandboxStore(sandbox: string): Promise<void> {
  assertSandboxId(sandbox);
  const release = await takeWriterLock(sandbox);
  if (release === undefined) {
    throw new SandboxError('busy', `Cannot delete sandbox "${sandbox}": a tab has it open`);
  }
  try {
    await removeOpfsFolder(sandbox);
    if (await hasIdbStore(sandbox)) await removeIdbStore(sandbox);
  } catch (error) {
    throw storageError(`delete sandbox "${sandbox}"`, error);
  } finally {
    release();
  }
}

async function openBackend(
  sandbox: string,
  options: OpenStoreOptions & { readonly onClose: () => void },
): Promise<SandboxStore> {
  const { readOnly = false, onClose } = options;
  const existing = (await hasOpfsFolder(sandbox)) ? 'opfs' : (await hasIdbStore(sandbox)) ? 'idb' : undefined;
  if (options.create && existing) {
    throw new SandboxError('already-exists', `Cannot create sandbox "${sandbox}": it exists`);
  }
  if (!options.create && !existing) {
    throw new SandboxError('not-found', `Cannot open sandbox "${sandbox}": nothing of it is stored`);
  }
  const backend = existing ?? ((await probeOpfs()) ? 'opfs' : 'idb');
  if (backend === 'idb') return IdbStore.open(sandbox, { readOnly, onClose });
  const directory = await OpfsDirectory.open(sandbox, { create: !existing, readOnly });
  return LogStore.open(directory, { onClose });
}

/**
 * Probes the private file system by using it: some browsers have the functions, and fail or hang in private
 * windows. A full disk counts as working.
 */
export async function probeOpfs(): Promise<boolean> {
  const sent = crypto.getRandomValues(new Uint8Array(512));
  const received = new Uint8Array(sent.length);
  const probe = withScratchFile(`probe-${crypto.randomUUID()}`, (file) => {
    file.write(sent, 0);
    file.flush();
    file.read(received, 0);
  });
  try {
    await withDeadline(probe, limits.storeProbeTimeoutMs);
    return sent.every((byte, index) => received[index] === byte);
  } catch {
    return false;
  }
}

function withDeadline<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DOMException('Timed out', 'TimeoutError')), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The id becomes part of a file name and a lock's name. */
function assertSandboxId(sandbox: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(sandbox)) return;
  throw new SandboxError(
    'invalid-argument',
    `Not the id of a sandbox: ${JSON.stringify(sandbox.slice(0, 80))}`,
  );
}
