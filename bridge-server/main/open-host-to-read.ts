import { statSync } from 'node:fs';
import { join } from 'node:path';
import { hashNatively } from '../../host/native-hash.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import type { SandboxRecords } from '../../sandbox/backend/sandbox-records.ts';
import { HostImages } from '../sandboxes/host-images.ts';
import { readingDrivers } from '../sandboxes/reading-driver.ts';
import { isErrno } from '../stores/disk-error.ts';
import { diskQuota } from '../stores/disk-quota.ts';
import { openHostStore } from '../stores/open-host-store.ts';
import { openRegistry } from '../stores/registry.ts';

/** Sandboxes of a folder that can be listed, and opened with `readOnly`. */
export interface ReadHost extends AsyncDisposable {
  readonly backend: SandboxBackend;
}

/**
 * Opens what is stored in the folder of a host, and nothing that sandboxes run in: in milliseconds, without a
 * compiler, and also while another process holds the folder. What that one has not stored yet is not seen.
 * @throws not-found where there has never been a host; forbidden for another user's; corrupt-object, version-mismatch
 */
export function openHostToRead(folder: string): ReadHost {
  assertReadable(folder);
  hashNatively();
  const registry = openRegistry(folder, { isToRead: true });
  const stores = join(folder, 'sandboxes');
  const backend = new LocalBackend({
    drivers: readingDrivers({
      images: new HostImages(join(folder, 'images')),
      quota: () => diskQuota(folder),
    }),
    records: readOnlyRecords(registry.sandboxes),
    openStore: (id) => openHostStore(stores, id, { readOnly: true }),
    deleteStore: refuse,
    unsaved: (id) => registry.unsaved.get(id)?.why,
  });
  return { backend, [Symbol.asyncDispose]: async () => registry[Symbol.dispose]() };
}

function assertReadable(folder: string): void {
  try {
    statSync(join(folder, 'coppice.sqlite'));
  } catch (cause) {
    if (isErrno(cause, 'EACCES'))
      throw new SandboxError('forbidden', `Cannot read ${folder}: only the user whose folder it is may`, {
        cause,
      });
    throw new SandboxError('not-found', `There are no sandboxes in ${folder} yet: coppice init makes one`);
  }
}

function readOnlyRecords({ get, list }: SandboxRecords): SandboxRecords {
  return {
    get,
    list,
    // What another process is still making is that one's to clear away.
    unfinished: async () => [],
    add: refuse,
    begin: refuse,
    remove: refuse,
    forgetUnfinished: refuse,
  };
}

async function refuse(): Promise<never> {
  throw new SandboxError('read-only', 'Cannot change sandboxes: their folder was opened to read');
}
