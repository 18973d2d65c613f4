import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { WebContainerHost } from '../../runtimes/webcontainer/boot-webcontainer.ts';
import { webcontainerDriver } from '../../runtimes/webcontainer/webcontainer-driver.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { IdbRefs } from '../stores/idb/idb-refs.ts';
import { deleteSandboxStore, openSandboxStore } from '../stores/open-sandbox-store.ts';
import { SandboxRegistry } from '../worker/sandbox-registry.ts';

/** Where WebContainers run. */
export type WebContainersOptions = WebContainerHost;

/** Sandboxes of this origin that run in WebContainers of this page: the package needs a document, which workers have not. */
export function webContainerBackend(options: WebContainersOptions): SandboxBackend {
  const driver = webcontainerDriver({ ...options, quota });
  return new LocalBackend({
    drivers: [driver],
    records: new SandboxRegistry(IdbRefs.open()),
    openStore: openSandboxStore,
    deleteStore: deleteSandboxStore,
  });
}

async function quota(): Promise<{ usageBytes: number; quotaBytes: number; persisted: boolean }> {
  const [{ usage = 0, quota: quotaBytes = 0 }, persisted] = await Promise.all([
    navigator.storage.estimate(),
    navigator.storage.persisted(),
  ]);
  return { usageBytes: usage, quotaBytes, persisted };
}
