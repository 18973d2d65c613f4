import type { SetOption } from '../state/options.ts';
import type { VariableAttribute } from '../state/variables.ts';
import type { ShellText } from '../text.ts';

/** What a shell keeps from one source to the next, as a plain value. */
export interface ShellState {
  readonly cwd: ShellText;
  readonly umask: number;
  readonly variables: readonly StoredVariable[];
  readonly functions: readonly StoredFunction[];
  readonly aliases: readonly (readonly [string, ShellText])[];
  /** Options of `set` that are on. */
  readonly options: readonly SetOption[];
  /** Options of `shopt` that are on. */
  readonly shopts: readonly string[];
  readonly positional: readonly ShellText[];
  readonly directoryStack: readonly ShellText[];
  readonly lastStatus: number;
}

export interface StoredVariable {
  readonly name: string;
  readonly attributes: readonly VariableAttribute[];
  readonly value:
    | { readonly type: 'text'; readonly text: ShellText }
    | { readonly type: 'indexed'; readonly elements: readonly (readonly [number, ShellText])[] }
    | { readonly type: 'associative'; readonly elements: readonly (readonly [ShellText, ShellText])[] }
    | undefined;
}

export interface StoredFunction {
  readonly name: string;
  /** Its definition. */
  readonly source: ShellText;
  /** As `BASH_SOURCE` has it. */
  readonly file: ShellText;
  readonly line: number;
  readonly isExported: boolean;
  readonly isReadonly: boolean;
}
