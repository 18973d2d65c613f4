/** What is wrong with a script, in bash's words as far as the parser tells. */
export class SyntaxProblem extends Error {
  /** From 1; absent where the parser does not say. */
  readonly line: number | undefined;
  /** The text ended within a construct: more of it could make it right (a prompt reads on). */
  readonly isIncomplete: boolean;
  /** What has to come before it can be right. Absent where that may be anything. */
  readonly awaited: string | undefined;
  /** The line of the source, which bash shows in a second message: ``bash: line 3: `fi'``. Absent where it shows none. */
  readonly sourceLine: string | undefined;

  /** It is one of `[[ … ]]`: the script ends with the status of the command before, not with 2. Only `eval` answers 2. */
  readonly keepsStatus: boolean;
  /** It is one of the words of an array's value: the line is not run, with status 1, and the script goes on. */
  readonly isOfLine: boolean;

  constructor(
    message: string,
    options: {
      line?: number | undefined;
      isIncomplete: boolean;
      awaited?: string | undefined;
      sourceLine?: string | undefined;
      keepsStatus?: boolean;
      isOfLine?: boolean;
    },
  ) {
    super(message);
    this.line = options.line;
    this.isIncomplete = options.isIncomplete;
    this.awaited = options.awaited;
    this.sourceLine = options.sourceLine;
    this.keepsStatus = options.keepsStatus ?? false;
    this.isOfLine = options.isOfLine ?? false;
  }
}
