import type { CommandNode } from '../syntax/ast.ts';
import { FunctionReturn, LoopExit, ShellExit } from './control-flow.ts';
import { runSource } from './run-source.ts';
import type { Shell } from './shell.ts';
import type { TrapName } from './traps.ts';

/** Traps that run where the script is, by whose lines theirs are counted. */
const events: ReadonlySet<TrapName> = new Set(['DEBUG', 'ERR', 'RETURN']);

/** Runs the command of a trap. `$?` and `PIPESTATUS` are afterwards what they were. */
export async function runTrap(shell: Shell, name: TrapName): Promise<void> {
  const command = shell.traps.get(name);
  if (!command || shell.traps.isRunning(name)) return;
  const { lastStatus, pipeStatus, line, lastArgument } = shell;
  await whileTrapRuns(shell, name, () =>
    runSource(shell, command, { line: events.has(name) ? line : 1, origin: 'trap' }),
  );
  Object.assign(shell, { lastStatus, pipeStatus, line, lastArgument });
}

async function whileTrapRuns(shell: Shell, name: TrapName, run: () => Promise<unknown>): Promise<void> {
  const { trap } = shell;
  shell.trap = { name, status: shell.lastStatus };
  try {
    await shell.traps.whileRunning(name, run);
  } finally {
    shell.trap = trap;
  }
}

/** Runs the traps of signals that have come. */
export async function runPendingTraps(shell: Shell): Promise<void> {
  for (let name = shell.traps.takePending(); name !== undefined; name = shell.traps.takePending()) {
    await runTrap(shell, name);
  }
}

/** `EXIT`: when the shell is about to end with `status`. Answers the status that it ends with. */
export async function runExitTrap(shell: Shell, status: number): Promise<number> {
  const command = shell.traps.get('EXIT');
  if (!command) return status;
  shell.lastStatus = status;
  shell.traps.reset('EXIT');
  shell.loopDepth = 0;
  try {
    await whileTrapRuns(shell, 'EXIT', () => runSource(shell, command, { origin: 'exit trap' }));
    return status;
  } catch (error) {
    if (error instanceof ShellExit) return error.status;
    if (error instanceof FunctionReturn || error instanceof LoopExit) return status;
    throw error;
  }
}

/** Before a command runs, which counts. In a trap, `BASH_COMMAND` stays what it was when that began. */
export async function runDebugTrap(shell: Shell, command: CommandNode): Promise<void> {
  shell.process.meter.count('commands');
  if (!shell.traps.isAnyRunning) shell.currentCommand = command;
  if (shell.traps.get('DEBUG') !== undefined) await runTrap(shell, 'DEBUG');
}
