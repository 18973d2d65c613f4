import { SandboxError } from './errors.ts';
import type { ProcessesFacet } from './sandbox/processes.ts';
import type { ShellsFacet } from './sandbox/shells.ts';

/** The runs of one shell as commands, for what runs commands. */
export function shellProcesses(id: string, shells: Pick<ShellsFacet, 'run'>): ProcessesFacet {
  return {
    exec: async ({ command, stdin = false }, listener) => {
      if (typeof command === 'string') return shells.run({ id, command, stdin }, listener);
      throw new SandboxError('invalid-argument', 'Cannot run a list of arguments in a shell: it takes text');
    },
  };
}
