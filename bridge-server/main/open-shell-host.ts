import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hashNatively } from '../../host/native-hash.ts';
import type { SandboxError } from '../../protocol/errors.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import type { FilesDriver, ImageDriver } from '../../sandbox/backend/runtime-driver.ts';
import type { HostBackend } from '../host-backend.ts';
import { HostImages } from '../sandboxes/host-images.ts';
import { readingDrivers } from '../sandboxes/reading-driver.ts';
import { clearOrphanedStores } from '../stores/clear-orphaned-stores.ts';
import { cloneHostStore } from '../stores/clone-host-store.ts';
import { diskQuota } from '../stores/disk-quota.ts';
import { deleteHostStore, openHostStore } from '../stores/open-host-store.ts';
import { openRegistry } from '../stores/registry.ts';
import { holdFolder } from './hold-folder.ts';

interface ShellHostOptions {
  /** Runs its sandboxes, in this process. */
  readonly shells: FilesDriver;
  /** What is said to whoever asks for a jail. */
  readonly withoutJails: SandboxError;
}

/** Sandboxes of a folder, on a host without jails. */
export interface ShellHost extends AsyncDisposable {
  readonly backend: HostBackend;
  answersAt(socket: string): void;
}

/**
 * Opens a folder of sandboxes where no jail runs: new ones are shells, and those of jails can be read. It needs nothing of Linux.
 * @throws busy with who holds the folder (`holdFolder`); corrupt-object, version-mismatch, storage-full
 */
export async function openShellHost(
  folder: string,
  { shells, withoutJails }: ShellHostOptions,
): Promise<ShellHost> {
  hashNatively();
  await using stack = new AsyncDisposableStack();
  const held = stack.use(holdFolder(folder));
  const stores = join(folder, 'sandboxes');
  await mkdir(stores, { recursive: true, mode: 0o700 });
  const { sandboxes: records } = stack.use(openRegistry(folder));
  await clearOrphanedStores(stores, records);
  const backend = new LocalBackend({
    drivers: [shells, readOnlyJails(folder, withoutJails)],
    canExpire: true,
    records,
    openStore: (id, options) => openHostStore(stores, id, options),
    cloneStore: (id, options) => cloneHostStore(stores, id, options),
    deleteStore: (id) => deleteHostStore(stores, id),
  });
  const owned = stack.move();
  return {
    backend,
    answersAt: (socket) => held.answersAt(socket),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function readOnlyJails(folder: string, withoutJails: SandboxError): ImageDriver {
  const images = new HostImages(join(folder, 'images'));
  const [reading] = readingDrivers({ images, quota: () => diskQuota(folder) });
  const refuse = async (): Promise<never> => {
    throw withoutJails;
  };
  return {
    ...reading,
    images: { ...reading.images, load: (which) => ('digest' in which ? images.load(which) : refuse()) },
    start: (info, parts) => (parts.readOnly ? reading.start(info, parts) : refuse()),
  };
}
