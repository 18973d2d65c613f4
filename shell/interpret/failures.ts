import { ExpansionError } from '../expand/expansion-scope.ts';
import { AssignmentError } from '../state/variables.ts';
import { SyntaxProblem } from '../syntax/parse.ts';
import { CommandDiscard, ShellExit } from './control-flow.ts';
import type { Shell } from './shell.ts';
import { runTrap } from './trap-runs.ts';

/** A command has failed whose failure counts: the trap of `ERR`, and `set -e`. */
export async function commandFailed(shell: Shell, status: number): Promise<void> {
  if (shell.expectedFailures > 0) return;
  await runTrap(shell, 'ERR');
  if (!shell.options.has('errexit')) return;
  // What has killed the command may be trapped here too: that trap is not left to the one of EXIT, which it would end.
  await shell.runPendingTraps();
  throw new ShellExit(status);
}

/** Runs a command. Tells mistakes of its expansions, which end what is left of the line, or the script. */
export async function guardExpansions(shell: Shell, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined || !(error instanceof Error)) throw error;
    if (error.message !== '') await shell.tell(error.message);
    shell.lastStatus = status;
    throw leaving(shell, error, status);
  }
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof ExpansionError) return error.status;
  // A subscript, or what arithmetic has between quotes, is parsed when its time has come.
  return error instanceof AssignmentError || error instanceof SyntaxProblem ? 1 : undefined;
}

function leaving(shell: Shell, error: Error, status: number): ShellExit | CommandDiscard {
  const isFatal = error instanceof ExpansionError ? error.isFatal : shell.options.has('posix');
  if (isFatal && !shell.isInteractive) {
    const isCommand = shell.start.command !== undefined && !shell.isSubshell;
    return new ShellExit(isCommand ? 127 : status);
  }
  return shell.options.has('errexit') ? new ShellExit(status) : new CommandDiscard(status);
}
