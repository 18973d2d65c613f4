import type { CommandNode, ScriptNode, StatementNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';
import type { BuiltinCall } from './builtin-call.ts';

/**
 * What runs commands. A shell is handed one when it is made, and knows nothing else of what runs in it: commands are
 * made of commands, and expansions run some.
 */
export interface Interpreter<S> {
  readonly builtins: ReadonlyMap<string, BuiltinOf<S>>;
  /** Runs statements one after another. Answers the last one's status, which `$?` has too. */
  runStatements(shell: S, statements: readonly StatementNode[]): Promise<number>;
  /** Runs one command of a pipeline. Answers its status. */
  runCommand(shell: S, command: CommandNode): Promise<number>;
  /** Runs the traps of signals that have come. */
  runPendingTraps(shell: S): Promise<void>;
  /** `$( … )`: answers what it prints. */
  substituteCommand(shell: S, script: ScriptNode): Promise<ShellText>;
  /** `<( … )` and `>( … )`: answers the path of its end of the pipe. */
  substituteProcess(shell: S, script: ScriptNode, direction: 'input' | 'output'): Promise<ShellText>;
}

export type BuiltinOf<S> = (shell: S, call: BuiltinCall) => number | Promise<number>;
