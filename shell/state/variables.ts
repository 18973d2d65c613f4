import type { ShellText } from '../text.ts';

export type VariableAttribute =
  | 'export'
  | 'readonly'
  | 'integer'
  | 'lower'
  | 'upper'
  | 'capital'
  | 'nameref'
  | 'trace';

/** A value: text, an array by index (in order of indices), an associative array (in the order of bash's hash table), or nothing yet (`declare x`). */
export type VariableValue =
  | { readonly type: 'text'; text: ShellText }
  | { readonly type: 'indexed'; elements: Map<number, ShellText> }
  | { readonly type: 'associative'; elements: Map<ShellText, ShellText> };

export interface Variable {
  value: VariableValue | undefined;
  readonly attributes: Set<VariableAttribute>;
}

/** A value was assigned to a variable that is readonly, or a name that is none. `message` is bash's, without prefix. */
export class AssignmentError extends Error {}

export type ScopeKind = 'function' | 'temporary' | 'call';

/**
 * The variables of a shell: global ones, and a scope for each function that runs. Names are plain: no subscripts. Name references are
 * followed by every method but `declare`, `variable` and `unset` of the reference itself where it says so.
 */
export interface Variables {
  /** The innermost variable of that name, itself, without following a reference. */
  variable(name: string): Variable | undefined;
  /** What kind of value the variable has that the name leads to. */
  typeOf(name: string): VariableValue['type'] | undefined;
  /** The name, or `name[subscript]`, that a reference leads to in the end; of what is no reference the name itself. */
  follow(name: string): string;
  /** `$name`: text, or element 0. */
  get(name: string): ShellText | undefined;
  /** All elements in order: those of an array, or the text. */
  elements(name: string): readonly ShellText[];
  /** Keys of an array in order, indices as text; `0` of text. */
  keys(name: string): readonly ShellText[];
  element(name: string, key: ShellText | number): ShellText | undefined;
  /** Applies integer, lower and upper (integer by the evaluator it was made with). @throws AssignmentError */
  set(name: string, text: ShellText): void;
  append(name: string, text: ShellText): void;
  setElement(name: string, key: ShellText | number, text: ShellText, options?: { append?: boolean }): void;
  /** Replaces the whole array. */
  setArray(name: string, value: Exclude<VariableValue, { type: 'text' }>): void;
  /** The variable that a reference refers to, or the reference itself where `reference`. @throws AssignmentError */
  unset(name: string, options?: { reference?: boolean }): void;
  unsetElement(name: string, key: ShellText | number): void;
  /** Makes it if need be: in the innermost function's scope when `local`, else globally where `global`, and adds or removes attributes. */
  declare(
    name: string,
    options: {
      local?: boolean;
      global?: boolean;
      /** In the innermost scope, of whatever kind: an assignment before a command. */
      temporary?: boolean;
      type?: VariableValue['type'];
      add?: Iterable<VariableAttribute>;
      remove?: Iterable<VariableAttribute>;
    },
  ): Variable;
  /** What `unset`, `local` and others need to know. */
  isLocal(name: string): boolean;
  /** Visible names, sorted. */
  names(): readonly string[];
  /** Exported ones that are text. */
  environment(): Map<ShellText, ShellText>;
  /**
   * `function` is a function's scope. `temporary` is of assignments before a command: what is made local goes into the function's
   * scope, unless the temporary one has it. `call` is the scope of a function that is called with assignments before it: they become
   * its local variables.
   */
  pushScope(kind?: ScopeKind): void;
  popScope(): void;
  readonly depth: number;
  /** A copy that shares nothing: for a subshell. */
  clone(): Variables;
}
