import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { HereDocNode, ScriptNode, StatementNode, WordPart } from '../ast.ts';
import { SyntaxProblem } from '../syntax-problem.ts';
import type { ReadProgress } from './read-progress.ts';
import { skipBrackets, skipOne } from './skip-quoted.ts';

/**
 * What quotes and backslashes mean where text is read: in a word; between double quotes; in a here-document; in the word of
 * `${x:-word}`, outside double quotes and inside them.
 */
export type Quoting = 'word' | 'double' | 'here-document' | 'brace' | 'brace-double';

export interface PartsOptions {
  readonly quoting: Quoting;
  /** Whether the text ends at an unquoted character, which is not read. */
  readonly isEnd: (reader: Reader) => boolean;
  /** Whether tildes stand for homes at the start, and after `:` and `=` where it is an assignment. */
  readonly tilde?: 'start' | 'assignment' | undefined;
  /** Whether `?(`, `*(`, `+(`, `@(` and `!(` open a pattern up to `)`, and `(` too where it is a regular expression. */
  readonly groups?: 'patterns' | 'regular-expression' | undefined;
}

/** A here-document whose lines follow the line that is being read. */
interface PendingHereDocument {
  readonly node: HereDocNode;
  readonly delimiter: string;
}

interface ReaderOptions {
  /** The number of the source's first line. */
  readonly line?: number;
  /** The text that a command's name stands for. */
  readonly alias?: ((name: string) => string | undefined) | undefined;
  /** Whether `?(`, `*(`, `+(`, `@(` and `!(` open a pattern: they do where this is not told. In `[[ … ]]` they always do. */
  readonly extglob?: (() => boolean) | undefined;
  /** Whether the shell is in POSIX mode, where apostrophes in the word of `"${x:-word}"` hide no brace. */
  readonly posix?: (() => boolean) | undefined;
  /** What a reader of the beginning of this source has read already. */
  readonly progress?: ReadProgress | undefined;
  readonly grammar: Grammar;
}

/** What words and compound commands have within them. */
export interface Grammar {
  /** Reads the commands of a substitution up to `)`, which it goes past, or up to the end. */
  readScript(reader: Reader, closing: ')' | undefined): ScriptNode;
  /** Reads one or more commands up to one of these words or operators, where it stays. */
  readList(reader: Reader, closings: readonly string[]): StatementNode[];
  /** Reads text up to its end into the parts that a word has. */
  readParts(reader: Reader, options: PartsOptions): WordPart[];
}

/** Quoted, expanded, or between tokens: a backslash that joins lines after such a character is not within a token. */
const endsToken = /[\s'"\\$`]/;

/** Not looked for yet. */
const noContinuation = { searchedFrom: Number.POSITIVE_INFINITY, at: 0, tokenAt: 0 };

/** How much longer a line may become by its aliases. */
const mostAliasCharacters = 2 ** 20;

/** The source of a script, and how far it has been read. */
export class Reader {
  source: string;
  at = 0;
  readonly options: ReaderOptions;
  readonly pending: PendingHereDocument[] = [];
  /** Here-documents that went on to the end of the source. */
  readonly open: HereDocNode[] = [];
  /** Aliases that are being expanded, each up to where its text ends, counted from the source's end. */
  readonly expandedAliases: { readonly name: string; readonly untilEnd: number }[] = [];
  /** Where texts of aliases end that end with a blank, counted from the source's end. */
  readonly aliasEnds: number[] = [];
  /** What the line that is being read has cost, and how many characters its aliases have put into the source. */
  #lineWork: { steps: number; aliasCharacters: number } = { steps: 0, aliasCharacters: 0 };
  #depth = 0;
  #substitutions = 0;
  #conditionals = 0;
  #isChanged = false;
  #lineStart = 0;
  /** Where the line ends that begins at `#lineStart`, once somebody has looked. */
  #lineEnd: number | undefined;
  #line: number;
  /** Where lines were joined, as the source is now, in order: what follows is a line further down. */
  readonly #joints: number[] = [];
  /** The next backslash at the end of a line, and where the token before it begins. */
  #continuation: { readonly searchedFrom: number; readonly at: number; readonly tokenAt: number } =
    noContinuation;

  constructor(source: string, options: ReaderOptions) {
    this.source = source;
    this.options = options;
    this.#line = options.line ?? 1;
  }

  /** The character at a distance from here; empty past the end. */
  peek(distance = 0): string {
    return this.source[this.at + distance] ?? '';
  }

  startsWith(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  /** Goes past `text` if it is here. */
  take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Takes characters out of the source. */
  cut(at: number, length: number): void {
    this.replace(at, length, '');
  }

  /**
   * Joins lines where a backslash and the end of a line stand within what is neither quoted nor expanded from here on, so that
   * operators and names can be told as they are. Those between tokens stay, and are blanks.
   */
  joinLines(): void {
    for (;;) {
      const { at, tokenAt } = this.#nextContinuation();
      if (this.at < tokenAt || this.at >= at) return;
      this.#cutContinuation(at);
    }
  }

  /** Looked for once for all that stands before it: a script without blanks is as long as a token. */
  #nextContinuation(): { readonly at: number; readonly tokenAt: number } {
    const { searchedFrom, at: known } = this.#continuation;
    if (searchedFrom <= this.at && this.at <= known) return this.#continuation;
    const found = this.source.indexOf('\\\n', this.at);
    let tokenAt = found;
    while (tokenAt > 0 && !endsToken.test(this.source.charAt(tokenAt - 1))) tokenAt -= 1;
    const at = found === -1 ? Number.POSITIVE_INFINITY : found;
    this.#continuation = { searchedFrom: this.at, at, tokenAt: found === -1 ? at : tokenAt };
    return this.#continuation;
  }

  /** Joins lines at a position. */
  joinLinesAt(at: number): void {
    while (this.source.startsWith('\\\n', at)) this.#cutContinuation(at);
  }

  #cutContinuation(at: number): void {
    this.cut(at, 2);
    this.#joints.splice(this.#jointsUpTo(at), 0, at);
  }

  /** Puts text in the place of characters of the source. */
  replace(at: number, length: number, text: string): void {
    // To copy characters costs less than to look at them.
    this.spend(this.source.length / 8);
    this.source = this.source.slice(0, at) + text + this.source.slice(at + length);
    this.#isChanged = true;
    this.#lineEnd = undefined;
    this.#continuation = noContinuation;
  }

  /** Whether what was read up to here is read so as well when more of the source has come. */
  get mayKeep(): boolean {
    return !this.#isChanged && this.open.length === 0 && this.pending.length === 0;
  }

  get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  /** The line of a position, which is here unless it is told. Positions that go forth are cheap. */
  line(at: number = this.at): number {
    if (at < this.#lineStart) {
      this.#line = this.options.line ?? 1;
      this.#lineStart = 0;
      this.#lineEnd = undefined;
    }
    for (;;) {
      this.#lineEnd ??= this.#endOfLine(this.#lineStart);
      if (this.#lineEnd >= at) return this.#line + this.#jointsUpTo(at);
      this.#line += 1;
      this.#lineStart = this.#lineEnd + 1;
      this.#lineEnd = undefined;
    }
  }

  #jointsUpTo(at: number): number {
    let [low, high] = [0, this.#joints.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#joints[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A line begins, with what belongs to it. */
  startLine(): void {
    this.#lineWork = { steps: 0, aliasCharacters: 0 };
  }

  /** Goes past the line in which reading has stopped. */
  skipLine(): void {
    const end = this.source.indexOf('\n', this.at);
    this.at = end === -1 ? this.source.length : end + 1;
    this.pending.length = 0;
    this.#depth = 0;
    this.#substitutions = 0;
    this.#conditionals = 0;
  }

  /** Counts work on the line. @throws ShellLimitError */
  spend(steps: number): void {
    this.#lineWork.steps += steps;
    if (this.#lineWork.steps > shellLimits.parseWork) {
      throw new ShellLimitError('parseWork', 'a line of a script takes too long to read');
    }
  }

  /** Counts what an alias stands for. @throws ShellLimitError */
  spendAlias(characters: number): void {
    this.#lineWork.aliasCharacters += characters;
    if (this.#lineWork.aliasCharacters > mostAliasCharacters) {
      throw new ShellLimitError('parseWork', 'the aliases of a line stand for too much');
    }
  }

  /** The position after the closing bracket of one that was opened before `at`; past the end where there is none. */
  skipBrackets(at: number, brackets: '()' | '[]' | '{}'): number {
    const end = skipBrackets(this.source, at, brackets, this.#skipSubstitution);
    this.spend(end - at);
    return end;
  }

  /** As `skipOne`, where a substitution is what it is as commands. */
  skipOne(at: number): number {
    return skipOne(this.source, at, this.#skipSubstitution);
  }

  /** Parentheses of `case`, of comments and of here-documents close no substitution: where there may be some, it is read. */
  readonly #skipSubstitution = (at: number, end: number): number => {
    if (!/\bcase\b|<<|#/.test(this.source.slice(at, end))) return end;
    const reader = this.sub(this.source, 1);
    reader.at = at;
    try {
      reader.inSubstitution(() => this.options.grammar.readScript(reader, ')'));
      // What it has put in the place of other text would be somewhere else here.
      return reader.mayKeep ? reader.at : end;
    } catch (error) {
      if (error instanceof SyntaxProblem) return end;
      throw error;
    }
  };

  #endOfLine(from: number): number {
    const end = this.source.indexOf('\n', from);
    return end === -1 ? Number.POSITIVE_INFINITY : end;
  }

  /** Goes into a construct. @throws ShellLimitError of those that are nested too deep */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > shellLimits.depth) throw new ShellLimitError('depth', 'a script is nested too deep');
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Whether `@(` and its like open a pattern here. */
  get hasPatternGroups(): boolean {
    return this.#conditionals > 0 || this.options.extglob?.() !== false;
  }

  /** Reads what is within `[[ … ]]`. */
  inConditional<T>(read: () => T): T {
    this.#conditionals += 1;
    const result = read();
    this.#conditionals -= 1;
    return result;
  }

  /** Whether what is read is within `$(…)` or its like. */
  get isInSubstitution(): boolean {
    return this.#substitutions > 0;
  }

  /** Reads what is within `$(…)`. */
  inSubstitution<T>(read: () => T): T {
    this.#substitutions += 1;
    // Those of the line around it follow that line.
    const pending = this.pending.splice(0);
    const result = read();
    this.pending.push(...pending);
    this.#substitutions -= 1;
    return result;
  }

  /** Another reader, of text that was found in this one's source. */
  sub(source: string, line: number): Reader {
    const reader = new Reader(source, { ...this.options, line, progress: undefined });
    reader.#depth = this.#depth;
    reader.#lineWork = this.#lineWork;
    return reader;
  }

  /** The source ended within a construct, whose closing is told where bash tells it. */
  unexpectedEnd(closing?: string, openedAt?: number): SyntaxProblem {
    const isLastLineClosed = this.source.endsWith('\n');
    const lastLine = this.line(this.source.length) + (isLastLineClosed ? 0 : 1);
    if (closing === undefined) {
      return new SyntaxProblem('syntax error: unexpected end of file', {
        line: lastLine,
        isIncomplete: true,
      });
    }
    return new SyntaxProblem(`unexpected EOF while looking for matching \`${closing}'`, {
      line: openedAt === undefined ? lastLine : this.line(openedAt),
      isIncomplete: true,
      awaited: closing,
    });
  }

  unexpectedToken(
    token: string,
    at: number = this.at,
    { isOfLine = false }: { isOfLine?: boolean } = {},
  ): SyntaxProblem {
    const line = this.line(at);
    const start = this.source.lastIndexOf('\n', at - 1) + 1;
    const end = this.source.indexOf('\n', at);
    return new SyntaxProblem(`syntax error near unexpected token \`${token}'`, {
      line,
      isIncomplete: false,
      isOfLine,
      sourceLine: this.source.slice(start, end === -1 ? undefined : end),
    });
  }
}
