import { mkdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hashNatively } from '../../host/native-hash.ts';
import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import type { ProcessStarter } from '../../sandbox/machine/machine-ports.ts';
import { folderDriver } from '../runtimes/folder/folder-driver.ts';
import { type Intention, readIntention } from '../runtimes/folder/intention.ts';
import { folderLimits } from '../runtimes/folder/limits.ts';
import type { FolderLook } from '../runtimes/folder/read-folder.ts';
import type { WriteProbe } from '../runtimes/folder/write-options.ts';
import { clearOrphanedStores } from '../stores/clear-orphaned-stores.ts';
import { diskQuota } from '../stores/disk-quota.ts';
import { deleteHostStore, openHostStore } from '../stores/open-host-store.ts';
import { openRegistry } from '../stores/registry.ts';
import { type HistoryPlace, hasHistory, historyPath, realFolder } from './find-folder-history.ts';
import { type FolderHold, holdFolder } from './hold-folder.ts';

export interface FolderHistory extends AsyncDisposable {
  /** It has one sandbox, whose files are those of the folder. */
  readonly backend: SandboxBackend;
  readonly folder: string;
  /** What was being written when a process ended that had the history. */
  readonly interrupted: Pick<Intention, 'from' | 'to' | 'beganMs'> | undefined;
  /** The last look at the folder. */
  readonly look: FolderLook | undefined;
}

interface OpenHistoryOptions {
  readonly create?: boolean;
  /** What runs programs in the folder; by default nothing does. Stays the caller's. */
  readonly programs?: ProcessStarter;
  /** Whether what has changed is an agent's work, which takes no rules of `.coppiceignore` away. */
  readonly isAgents?: boolean;
  readonly probe?: WriteProbe;
  readonly signal?: AbortSignal;
}

/**
 * Opens the history of a folder, and with `create` makes one. One process has it at a time: others wait a while.
 * @throws not-found where there is no such folder, or no history; invalid-argument for a folder that has the histories in it; busy, corrupt-object,
 * version-mismatch, storage-full
 */
export async function openFolderHistory(
  place: HistoryPlace,
  { create = false, programs, isAgents, probe, signal }: OpenHistoryOptions = {},
): Promise<FolderHistory> {
  const folder = realFolder(place);
  const path = historyPath({ root: place.root, folder });
  if (create) assertOutside(folder, path);
  else if (!hasHistory({ root: place.root, folder })) throw noHistory(folder);
  hashNatively();
  await using stack = new AsyncDisposableStack();
  stack.use(await waitForHold(path, signal));
  const { sandboxes: records } = stack.use(openRegistry(path));
  const stores = join(path, 'sandboxes');
  mkdirSync(stores, { recursive: true, mode: 0o700 });
  await clearOrphanedStores(stores, records);
  const intentionPath = join(path, 'intention');
  let look: FolderLook | undefined;
  const onLook = (last: FolderLook) => {
    look = last;
  };
  const backend = new LocalBackend({
    drivers: [
      folderDriver({
        ...{ folder, programs, isAgents, probe, onLook },
        lookedPath: join(path, 'looked'),
        rulesPath: join(path, 'rules'),
        intentionPath,
        quota: () => diskQuota(path),
      }),
    ],
    records,
    openStore: (id, options) => openHostStore(stores, id, options),
    deleteStore: (id) => deleteHostStore(stores, id),
  });
  const owned = stack.move();
  const interrupted = readIntention(intentionPath);
  return {
    ...{ backend, folder, interrupted },
    get look() {
      return look;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A history that is part of itself would grow with each look. */
function assertOutside(folder: string, path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const inside = `${realpathSync(path)}${sep}`;
  if (!inside.startsWith(folder === sep ? sep : `${folder}${sep}`)) return;
  const message = `Cannot keep a history of ${folder}: it would contain itself. Keep histories elsewhere, with --root`;
  throw new SandboxError('invalid-argument', message);
}

async function waitForHold(path: string, signal: AbortSignal | undefined): Promise<FolderHold> {
  for (let waitedMs = 0; ; waitedMs += folderLimits.waitStepMs) {
    try {
      return holdFolder(path);
    } catch (error) {
      if (SandboxError.from(error).code !== 'busy' || waitedMs >= folderLimits.waitMs) throw error;
    }
    throwIfAborted(signal, 'Cannot open the history');
    await setTimeout(folderLimits.waitStepMs);
  }
}

function noHistory(folder: string): SandboxError {
  const message = `${folder} has no history: coppice init --in-place ${folder} begins one`;
  return new SandboxError('not-found', message, { details: { folder } });
}
