import type { ShellText } from '../../text.ts';

/** What can be assigned to. */
export type Target =
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'field'; readonly index: Expression }
  | { readonly type: 'element'; readonly array: string; readonly subscripts: readonly Expression[] };

export type Expression =
  | Target
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'string'; readonly value: ShellText }
  | { readonly type: 'regex'; readonly pattern: ShellText }
  /** `operator` is that of `+=` and the like. */
  | {
      readonly type: 'assignment';
      readonly target: Target;
      readonly operator: ArithmeticOperator | undefined;
      readonly value: Expression;
    }
  | {
      readonly type: 'increment';
      readonly target: Target;
      readonly by: 1 | -1;
      readonly isPrefix: boolean;
    }
  | { readonly type: 'unary'; readonly operator: '!' | '-' | '+'; readonly operand: Expression }
  | {
      readonly type: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly type: 'concatenation'; readonly parts: readonly Expression[] }
  | {
      readonly type: 'match';
      readonly isNegated: boolean;
      readonly text: Expression;
      readonly regex: Expression;
    }
  | {
      readonly type: 'logical';
      readonly operator: '&&' | '||';
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: 'conditional';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | { readonly type: 'in'; readonly array: string; readonly subscripts: readonly Expression[] }
  | { readonly type: 'group'; readonly expression: Expression }
  /** `(a, b)`: only before `in`, and after `print`. */
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  | {
      readonly type: 'call';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly line: number;
    }
  | {
      readonly type: 'builtin';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly line: number;
    }
  | {
      readonly type: 'getline';
      readonly from: 'input' | 'file' | 'command';
      readonly source: Expression | undefined;
      readonly target: Target | undefined;
    };

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^';
export type ComparisonOperator = '<' | '<=' | '==' | '!=' | '>' | '>=';

export interface Redirection {
  readonly kind: '>' | '>>' | '|';
  readonly target: Expression;
}

export type Statement =
  | { readonly type: 'expression'; readonly expression: Expression }
  | {
      readonly type: 'print' | 'printf';
      readonly args: readonly Expression[];
      readonly redirection: Redirection | undefined;
    }
  | { readonly type: 'block'; readonly statements: readonly Statement[] }
  | {
      readonly type: 'if';
      readonly test: Expression;
      readonly yes: Statement;
      readonly no: Statement | undefined;
    }
  | { readonly type: 'while'; readonly test: Expression; readonly body: Statement }
  | { readonly type: 'do'; readonly body: Statement; readonly test: Expression }
  | {
      readonly type: 'for';
      readonly start: Statement | undefined;
      readonly test: Expression | undefined;
      readonly step: Statement | undefined;
      readonly body: Statement;
    }
  | { readonly type: 'for-in'; readonly target: Target; readonly array: string; readonly body: Statement }
  | { readonly type: 'break' | 'continue' | 'next' | 'nextfile' }
  | { readonly type: 'exit' | 'return'; readonly value: Expression | undefined }
  | {
      readonly type: 'delete';
      readonly array: string;
      /** `undefined`: all of the array. */
      readonly subscripts: readonly Expression[] | undefined;
    };

export type Pattern =
  | { readonly type: 'always' }
  | { readonly type: 'expression'; readonly test: Expression }
  | { readonly type: 'range'; readonly from: Expression; readonly to: Expression };

export interface Rule {
  readonly pattern: Pattern;
  /** `undefined`: the record is printed. */
  readonly action: Statement | undefined;
}

/** Names that are used in a function, or outside of all, from which follows what is an array. */
export interface Scope {
  readonly parameters: readonly string[];
  readonly arrays: Set<string>;
  /** Plain names among the arguments of calls. */
  readonly calls: { readonly name: string; readonly args: readonly (string | undefined)[] }[];
}

export interface AwkFunction {
  readonly name: string;
  readonly scope: Scope;
  readonly body: Statement;
}

export interface AwkProgram {
  readonly begin: readonly Statement[];
  readonly rules: readonly Rule[];
  readonly end: readonly Statement[];
  readonly functions: ReadonlyMap<string, AwkFunction>;
  /** Of what stands in no function. */
  readonly scope: Scope;
}

/** The program is wrong: `line 1: syntax error at or near }`. */
export class SyntaxProblem extends Error {}
