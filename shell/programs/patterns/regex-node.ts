export type AssertionKind =
  | 'start'
  | 'end'
  | 'text-start'
  | 'text-end'
  | 'boundary'
  | 'inside'
  | 'word-start'
  | 'word-end';

/** A POSIX regular expression that has been read. */
export type RegexNode =
  /** One character of a set; `source` is the set in JavaScript's words, `literal` the only character in it. */
  | { readonly type: 'set'; readonly source: string; readonly literal?: string }
  | { readonly type: 'assertion'; readonly kind: AssertionKind }
  | { readonly type: 'group'; readonly index: number; readonly body: RegexNode }
  | { readonly type: 'sequence'; readonly nodes: readonly RegexNode[] }
  | { readonly type: 'alternatives'; readonly nodes: readonly RegexNode[] }
  | {
      readonly type: 'repeat';
      readonly body: RegexNode;
      readonly least: number;
      readonly most: number;
      /** As little as can be, as Perl has it: for matching by backtracking alone. */
      readonly isLazy?: boolean;
    }
  | { readonly type: 'back-reference'; readonly index: number };

export interface ParsedRegex {
  readonly root: RegexNode;
  readonly groups: number;
}

/** What is wrong with an expression, in glibc's words. */
export class RegexProblem extends Error {}
