import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../sandbox/backend/memory-host.ts';
import { shellDriver } from './shell-driver.ts';

/** Sandboxes of runtime `shell` in this process, kept in its memory: no bridge, no image, and gone with the process. */
export function shellBackend(): LocalBackend {
  const quota = async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false });
  return new LocalBackend(new MemoryHost(shellDriver({ quota })));
}
