import { limits } from '../../protocol/limits.ts';
import type { StorageInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ResourceRules } from '../../sandbox/backend/resources.ts';
import type { FilesDriver } from '../../sandbox/backend/runtime-driver.ts';
import { noImageObjects } from '../../sandbox/image-objects.ts';
import { startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import type { WebContainerHost } from './boot-webcontainer.ts';

const resources: ResourceRules = {
  memoryMiB: limits.memoryMiB,
  diskMiB: limits.diskMiB,
  lacks: { network: 'a WebContainer has the network of its page' },
};

interface DriverOptions extends WebContainerHost {
  /** Of what keeps the sandboxes. */
  quota(): Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
}

/** Runs sandboxes of runtime `webcontainer` in this page, one at a time. */
export function webcontainerDriver({ quota, ...options }: DriverOptions): FilesDriver {
  return {
    runtime: 'webcontainer',
    resources,
    start: (info, parts) =>
      startLocalSandbox(info, {
        ...parts,
        source: noImageObjects,
        host: { quota },
        machineFor: async ({ tree }) => {
          // The package is loaded for those who have such a sandbox.
          const { WebContainerMachine } = await import('./webcontainer-machine.ts');
          return (listener) => new WebContainerMachine(options, { tree, listener });
        },
      }),
  };
}
