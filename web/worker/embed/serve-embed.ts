import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { callMethod, makeFacets } from '../../../protocol/sandbox/tables.ts';
import { LocalBackend } from '../../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../../sandbox/backend/memory-host.ts';
import type { RuntimeDriver } from '../../../sandbox/backend/runtime-driver.ts';
import type { EmbedStart } from '../../transports/embed-worker.ts';
import { exposeBackend } from '../../transports/expose-backend.ts';

/**
 * Serves a frame with sandboxes of its own, in memory, until it is gone: nothing of the origin's storage is opened here, so a page that
 * drives the frame reaches none of what its user stores (ADR 56).
 */
export function serveEmbed({ backend, life }: EmbedStart, driver: RuntimeDriver): void {
  const host = new MemoryHost(driver);
  const open = new Set<SandboxConnection>();
  exposeBackend(noting(new LocalBackend(host), open), backend);
  const end = async (): Promise<void> => {
    for (const port of [backend, life]) port.close();
    await Promise.allSettled([...open].map((connection) => connection.close({ discard: true })));
    open.clear();
    host.stores.clear();
    host.infos.clear();
  };
  for (const type of ['message', 'close']) life.addEventListener(type, () => void end(), { once: true });
  life.start();
}

/** As the storage of a sandbox is told: none of it is kept. */
export async function memoryQuota(): Promise<{ usageBytes: number; quotaBytes: number; persisted: boolean }> {
  return { usageBytes: 0, quotaBytes: 0, persisted: false };
}

/** Notes in `open` what is opened, until it is closed. */
function noting(backend: LocalBackend, open: Set<SandboxConnection>): SandboxBackend {
  const note = async (opening: Promise<SandboxConnection>): Promise<SandboxConnection> => {
    const connection = await opening;
    open.add(connection);
    return {
      ...makeFacets((method) => (ask, listener) => callMethod(connection, method, ask, listener)),
      close: async (options) => {
        await connection.close(options);
        open.delete(connection);
      },
    };
  };
  return {
    create: (ask, onProgress) => note(backend.create(ask, onProgress)),
    open: (ask, onProgress) => note(backend.open(ask, onProgress)),
    connect: (ask) => backend.connect(ask),
    exportTar: (ask) => backend.exportTar(ask),
    openImport: (ask) => backend.openImport(ask),
    list: () => backend.list(),
    delete: (ask) => backend.delete(ask),
    rename: (ask) => backend.rename(ask),
  };
}
