import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../sandbox/backend/memory-host.ts';
import type { ShellCustomization } from './commands/shell-customization.ts';
import { shellDriver } from './shell-driver.ts';
import type { ShellMachineOptions } from './shell-machine.ts';

export type {
  CommandFiles,
  CommandInput,
  CommandOutput,
  ShellCommand,
  ShellCommandCall,
} from './commands/shell-command.ts';
export type { ScriptTransform } from './commands/shell-customization.ts';

export interface ShellBackendOptions extends ShellCustomization {
  /** Servers that commands may talk to with git, by name and port, such as `git.example.org`; none by default. */
  readonly gitServers?: readonly string[] | undefined;
  /**
   * Servers that `sandbox.git` may talk to, by name and port; all that this process reaches by default. `fetch` and `push` go to
   * the server that the repository names, and any program of the sandbox can write there.
   */
  readonly clientGitServers?: readonly string[] | undefined;
}

/** Sandboxes of runtime `shell` in this process, kept in its memory: no bridge, no image, and gone with the process. */
export function shellBackend(
  options: ShellBackendOptions & Pick<ShellMachineOptions, 'startWorker'> = {},
): LocalBackend {
  const quota = async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false });
  return new LocalBackend(new MemoryHost(shellDriver({ quota, ...options })));
}
