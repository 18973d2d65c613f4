import type { ScriptTransform } from '../../../shell/syntax/ast.ts';
import type { ShellCommand } from './shell-command.ts';

export type { ScriptTransform };

/** What a host makes of the shell of its sandboxes. Its functions run in the process of the host, with all that this may do. */
export interface ShellCustomization {
  /** Commands of the host. They are there whatever `allow` names. */
  readonly commands?: readonly ShellCommand[] | undefined;
  /** Names of the built-ins and programs that scripts have; all by default. For others they get `command not found`. */
  readonly allow?: readonly string[] | undefined;
  /**
   * Answers what is to run instead of what was read: a line of a script with those that it goes on to, before its first command. It may
   * change the tree that it gets. When it throws, that is told on standard error and the rest of the script does not run (exit code 126). It
   * does not see what is parsed in the midst of an expansion: command substitutions in subscripts and in arithmetic.
   */
  readonly transform?: ScriptTransform | undefined;
}
