import type { TreeFiles } from '../files/tree-files.ts';
import type { ShellOptions } from '../state/options.ts';
import type { Variables } from '../state/variables.ts';
import type { ScriptNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';

/** What expansion, arithmetic and conditions need of the shell that they are done for. */
export interface ExpansionScope {
  readonly variables: Variables;
  readonly options: ShellOptions;
  readonly files: TreeFiles;
  readonly cwd: ShellText;
  /** `$1` … */
  readonly positional: readonly ShellText[];
  /** `? ! $ # - 0 _` and what is computed: RANDOM, SECONDS, LINENO, BASHPID, EPOCHSECONDS …; `undefined` of what is none of these or unset. */
  special(name: string): ShellText | undefined;
  /** Arrays that are computed: FUNCNAME, BASH_SOURCE, BASH_LINENO, PIPESTATUS, DIRSTACK, BASH_VERSINFO, GROUPS. */
  specialArray(name: string): readonly ShellText[] | undefined;
  /** What a command substitution prints, without trailing newlines. `$?` is its status then. */
  substitute(script: ScriptNode): Promise<ShellText>;
  /** The path by which a process substitution is opened: `/dev/fd/63`. */
  substituteProcess(script: ScriptNode, direction: 'input' | 'output'): Promise<ShellText>;
  /** Whether a descriptor is open, for `[[ -t 1 ]]` and `/dev/fd/N`; and whether it is a terminal. */
  descriptor(fd: number): { readonly isTerminal: boolean } | undefined;
  /** Home of a user for `~name`; `undefined` of one that there is not. */
  homeOf(user: string): ShellText | undefined;
  /** Prints `bash: line N: message` to standard error. */
  warn(message: ShellText): void;
}

/** An expansion failed: `message` is bash's, without prefix. A script that is not interactive ends by `fatal` ones with that status. */
export class ExpansionError extends Error {
  readonly status: number;
  readonly isFatal: boolean;

  constructor(
    message: ShellText,
    { status = 1, isFatal = false }: { status?: number; isFatal?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.isFatal = isFatal;
  }
}
