import { limits } from '../../protocol/limits.ts';
import type { StorageInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ResourceRules } from '../../sandbox/backend/resources.ts';
import type { FilesDriver } from '../../sandbox/backend/runtime-driver.ts';
import { noImageObjects } from '../../sandbox/image-objects.ts';
import { startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import { firstTree } from './first-tree.ts';
import type { ShellMachineOptions } from './shell-machine.ts';

/** Its processes share the memory of the thread that they run in. */
const resources: ResourceRules = {
  memoryMiB: limits.memoryMiB,
  diskMiB: limits.diskMiB,
  lacks: { network: 'a shell in the process has none' },
};

/** Runs sandboxes of runtime `shell` in this thread. */
export function shellDriver(
  host: {
    /** Of what keeps the sandboxes. */
    quota(): Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
  } & ShellMachineOptions,
): FilesDriver {
  const { quota, ...options } = host;
  return {
    runtime: 'shell',
    resources,
    reachesGit: true,
    firstFiles: firstTree,
    start: (info, parts) =>
      startLocalSandbox(info, {
        ...parts,
        source: noImageObjects,
        host,
        machineFor: async ({ tree }) => {
          // The interpreter is loaded for those who have such a sandbox.
          const { ShellMachine } = await import('./shell-machine.ts');
          return () => new ShellMachine(tree, options);
        },
      }),
  };
}
