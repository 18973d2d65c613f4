import type { AssignmentNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';

/** How a built-in is called. */
export class BuiltinCall {
  readonly name: string;
  /** Without the name. */
  readonly args: readonly ShellText[];
  /** Arrays that a declaration assigns, by the index of the argument that has their name. */
  readonly arrays: ReadonlyMap<number, AssignmentNode>;
  /** It is called by `command` or `builtin`: no mistake of it ends the shell. */
  readonly isByCommand: boolean;
  /** Set by `exec`: the call's redirections stay. */
  keepsRedirections = false;

  constructor({
    name,
    args,
    arrays = new Map(),
    isByCommand = false,
  }: {
    name: string;
    args: readonly ShellText[];
    arrays?: ReadonlyMap<number, AssignmentNode>;
    isByCommand?: boolean;
  }) {
    this.name = name;
    this.args = args;
    this.arrays = arrays;
    this.isByCommand = isByCommand;
  }
}
