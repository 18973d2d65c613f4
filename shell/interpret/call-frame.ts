import type { CompoundCommandNode, RedirectionNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';

/** A function of the script. */
export interface ShellFunction {
  readonly name: string;
  readonly body: CompoundCommandNode;
  readonly redirections: readonly RedirectionNode[];
  /** The file that it is of, as `BASH_SOURCE` has it. */
  readonly source: ShellText;
  /** Where it begins in that file. */
  readonly line: number;
  readonly isExported?: boolean;
  readonly isReadonly?: boolean;
  readonly isTraced?: boolean;
}

/** A function or a sourced file that runs. */
export interface CallFrame {
  readonly type: 'function' | 'source';
  readonly name: ShellText;
  readonly source: ShellText;
  /** The line of the call. */
  readonly callLine: number;
  /** Puts options back that `local -` keeps. */
  restoreOptions?: () => void;
}
