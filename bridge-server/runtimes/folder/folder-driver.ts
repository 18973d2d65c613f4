import { limits } from '../../../protocol/limits.ts';
import type { FilesDriver } from '../../../sandbox/backend/runtime-driver.ts';
import { noImageObjects } from '../../../sandbox/image-objects.ts';
import type { HostServices } from '../../../sandbox/local-sandbox-parts.ts';
import { startLocalSandbox } from '../../../sandbox/start-sandbox.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { FolderMachine, type FolderMachineOptions } from './folder-machine.ts';
import { folderLimits } from './limits.ts';

/** Nothing holds programs of the host back: only what is kept of their files has a limit. */
const resources = {
  memoryMiB: { min: 0, usual: 0, max: 0 },
  diskMiB: { min: 1, usual: folderLimits.diskMiB, max: folderLimits.diskMiB },
  lacks: { network: 'its programs are those of the host' },
};

/** Keeps the history of a folder of this host (`FolderMachine`). */
export function folderDriver({
  quota,
  ...options
}: FolderMachineOptions & Pick<HostServices, 'quota'>): FilesDriver {
  return {
    runtime: 'folder',
    resources,
    start: (info, parts) =>
      startLocalSandbox(info, {
        ...parts,
        source: noImageObjects,
        host: { quota },
        machineFor:
          async ({ tree, source }) =>
          () =>
            new FolderMachine(
              tree,
              {
                load: (id) => source.loadTree(id).sealed.snapshot,
                content: new ContentCache(source, { budgetBytes: limits.contentCacheBytes }),
                readOnly: parts.readOnly,
              },
              options,
            ),
      }),
  };
}
