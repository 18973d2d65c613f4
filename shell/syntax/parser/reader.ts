import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { HereDocNode, ScriptNode, StatementNode, WordPart } from '../ast.ts';
import { SyntaxProblem } from '../syntax-problem.ts';

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
  /** Whether `!(` opens a pattern, not a negated group, where either could stand. */
  readonly extglob?: (() => boolean) | undefined;
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

/** The source of a script, and how far it has been read. */
export class Reader {
  source: string;
  at = 0;
  readonly options: ReaderOptions;
  readonly pending: PendingHereDocument[] = [];
  /** Aliases that are being expanded, each up to where its text ends, counted from the source's end. */
  readonly expandedAliases: { readonly name: string; readonly untilEnd: number }[] = [];
  #depth = 0;
  #lineStart = 0;
  #line: number;

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
    this.source = this.source.slice(0, at) + this.source.slice(at + length);
  }

  get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  /** The line of a position, which is here unless it is told. Positions that go forth are cheap. */
  line(at: number = this.at): number {
    if (at < this.#lineStart) {
      this.#line = this.options.line ?? 1;
      this.#lineStart = 0;
    }
    for (;;) {
      const next = this.source.indexOf('\n', this.#lineStart);
      if (next === -1 || next >= at) return this.#line;
      this.#line += 1;
      this.#lineStart = next + 1;
    }
  }

  /** Goes into a construct. @throws ShellLimitError of those that are nested too deep */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > shellLimits.depth) throw new ShellLimitError('depth', 'a script is nested too deep');
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Another reader, of text that was found in this one's source. */
  sub(source: string, line: number): Reader {
    const reader = new Reader(source, { ...this.options, line });
    reader.#depth = this.#depth;
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
    });
  }

  unexpectedToken(token: string, at: number = this.at): SyntaxProblem {
    const line = this.line(at);
    const start = this.source.lastIndexOf('\n', at - 1) + 1;
    const end = this.source.indexOf('\n', at);
    return new SyntaxProblem(`syntax error near unexpected token \`${token}'`, {
      line,
      isIncomplete: false,
      sourceLine: this.source.slice(start, end === -1 ? undefined : end),
    });
  }
}
