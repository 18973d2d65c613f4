import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxRecords } from '../../sandbox/backend/sandbox-records.ts';
import { deleteHostStore } from './open-host-store.ts';
import { clearRemoved, removedIds } from './store-folder.ts';

/**
 * Brings to an end what a killed process has left half done in `folder`: sandboxes that were never
 * finished go, and so do the entries of those whose deletion had begun. Whoever calls this is the
 * folder's only user.
 * @throws storage-full, internal
 */
export async function clearOrphanedStores(folder: string, records: SandboxRecords): Promise<void> {
  for (const id of await records.unfinished(Date.now())) {
    await deleteHostStore(folder, id);
    await records.forgetUnfinished(id);
  }
  for (const id of removedIds(folder)) {
    if (!existsSync(join(folder, id))) await records.remove(id);
  }
  clearRemoved(folder);
}
