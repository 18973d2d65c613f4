import { openShellHost, type ShellHost } from '../../bridge-server/main/open-shell-host.ts';
import { diskQuota } from '../../bridge-server/stores/disk-quota.ts';
import type { SandboxError } from '../../protocol/errors.ts';
import { shellDriver } from '../../runtimes/shell/shell-driver.ts';
import { startProgramWorker } from '../../shell/node/start-program-worker.ts';

/** The sandboxes of a folder of a host without jails: shells in this process. @throws as `openShellHost` */
export function openShells(folder: string, withoutJails: SandboxError): Promise<ShellHost> {
  const shells = shellDriver({ quota: () => diskQuota(folder), startWorker: startProgramWorker });
  return openShellHost(folder, { shells, withoutJails });
}
