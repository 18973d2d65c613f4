import type { ScriptNode } from '../ast.ts';
import { CommandPrinter } from './command-printer.ts';

/** The text of a parsed script, as `declare -f` prints it: it parses to the same. */
export function print(script: ScriptNode): string {
  const [statement, ...others] = script.statements;
  const [pipeline, ...morePipelines] = statement?.pipelines ?? [];
  const [command, ...moreCommands] = pipeline?.commands ?? [];
  const isOne = others.length + morePipelines.length + moreCommands.length === 0;
  if (isOne && command?.type === 'FunctionDef' && !statement?.background) {
    return new CommandPrinter().printFunction(command);
  }
  return new CommandPrinter().printScript(script);
}
