import type { StorageInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { shellDriver } from '../../runtimes/shell/shell-driver.ts';
import type { SandboxHost } from '../../sandbox/backend/sandbox-host.ts';
import { deleteSandboxStore, openSandboxStore } from '../stores/open-sandbox-store.ts';
import { type MachineDriverOptions, machineDriver } from './machine-driver.ts';
import { startProgramWorker } from './programs/start-program-worker.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';

export interface TabHostOptions extends Omit<MachineDriverOptions, 'quota' | 'keeps'> {
  readonly registry: SandboxRegistry;
}

/** Sandboxes of this origin, run by this worker. The page gives each open sandbox a worker of its own. */
export function tabHost({ registry, ...options }: TabHostOptions): SandboxHost {
  const quota = storageQuota;
  return {
    drivers: [
      machineDriver({ ...options, quota, keeps: true }),
      shellDriver({ quota, startWorker: startProgramWorker }),
    ],
    records: registry,
    openStore: openSandboxStore,
    deleteStore: deleteSandboxStore,
  };
}

async function storageQuota(): Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>> {
  const [{ usage = 0, quota = 0 }, persisted] = await Promise.all([
    navigator.storage.estimate(),
    navigator.storage.persisted(),
  ]);
  return { usageBytes: usage, quotaBytes: quota, persisted };
}
