import type { Builtin } from './builtin.ts';
import { runCommand } from './commands.ts';
import type { Interpreter } from './interpreter.ts';
import type { Shell } from './shell.ts';
import { runStatements } from './statements.ts';
import { substituteCommand, substituteProcess } from './subshells.ts';
import { runPendingTraps } from './trap-runs.ts';

/** Runs commands as bash does, with these built-ins. */
export function createBashInterpreter(builtins: ReadonlyMap<string, Builtin>): Interpreter<Shell> {
  return { builtins, runStatements, runCommand, runPendingTraps, substituteCommand, substituteProcess };
}
