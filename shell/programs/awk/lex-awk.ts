import { joinEscapedBytes, type ShellText } from '../../text.ts';
import { SyntaxProblem } from './awk-syntax.ts';
import { readEscape } from './escapes.ts';

export type Token =
  | { readonly type: 'number'; readonly text: string; readonly value: number; readonly start: number }
  | { readonly type: 'string'; readonly text: string; readonly value: ShellText; readonly start: number }
  /** A name; `isCall` where a parenthesis follows at once. */
  | { readonly type: 'name'; readonly text: string; readonly isCall: boolean; readonly start: number }
  | {
      readonly type: 'keyword' | 'builtin' | 'operator' | 'newline' | 'end';
      readonly text: string;
      readonly start: number;
    };

const keywords = new Set(
  'BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf'.split(
    ' ',
  ),
);

const operators = [
  ['**='],
  ['+=', '-=', '*=', '/=', '%=', '^=', '**', '==', '<=', '>=', '!=', '!~', '++', '--', '&&', '||', '>>'],
  [...'{}()[];,+-*/%^!<>|?:~$='],
].flat();

const number = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const name = /[A-Za-z_]\w*/y;
const blank = /(?:[ \t\r]|\\\r?\n|#[^\n]*)*/y;

/** Splits a program into tokens as it is asked for them: what a slash is, only the parser knows. */
export class Lexer {
  readonly #source: ShellText;
  readonly #builtins: ReadonlySet<string>;
  /** Where the next token is looked for. */
  at = 0;
  /** Lines up to here have been counted. */
  #counted = 0;
  #lines = 1;

  constructor(source: ShellText, builtins: ReadonlySet<string>) {
    this.#source = source;
    this.#builtins = builtins;
  }

  lineAt(position: number): number {
    if (position < this.#counted) [this.#counted, this.#lines] = [0, 1];
    for (let at = this.#source.indexOf('\n', this.#counted); at >= 0 && at < position; ) {
      this.#lines += 1;
      this.#counted = at + 1;
      at = this.#source.indexOf('\n', this.#counted);
    }
    return this.#lines;
  }

  problem(position: number, message: string): SyntaxProblem {
    return new SyntaxProblem(`line ${this.lineAt(position)}: ${message}`);
  }

  /** @throws SyntaxProblem */
  next(): Token {
    blank.lastIndex = this.at;
    blank.exec(this.#source);
    const start = Math.max(this.at, blank.lastIndex);
    this.at = start;
    const character = this.#source[start];
    if (character === undefined) return { type: 'end', text: 'end of file', start };
    if (character === '\n') {
      this.at += 1;
      return { type: 'newline', text: 'end of line', start };
    }
    if (character === '"') return this.#string(start);
    const digits = this.#matched(number, start);
    if (digits !== undefined) return { type: 'number', text: digits, value: Number(digits), start };
    const word = this.#matched(name, start);
    if (word !== undefined) {
      if (keywords.has(word)) return { type: 'keyword', text: word, start };
      if (this.#builtins.has(word)) return { type: 'builtin', text: word, start };
      return { type: 'name', text: word, isCall: this.#source[this.at] === '(', start };
    }
    const operator = operators.find((text) => this.#source.startsWith(text, start));
    if (operator === undefined) throw this.problem(start, `unexpected character '${character}'`);
    this.at += operator.length;
    const text = operator === '**' ? '^' : operator === '**=' ? '^=' : operator;
    return { type: 'operator', text, start };
  }

  /** Reads a regular expression whose first slash stands at `start`. */
  regex(start: number): ShellText {
    let isInBrackets = false;
    let mayClose = true;
    let at = start + 1;
    for (; ; at++) {
      const character = this.#source[at];
      if (character === undefined || character === '\n') {
        const shown = this.#source.slice(start, start + 10).split('\n')[0];
        throw this.problem(start, `runaway regular expression ${shown} ...`);
      }
      if (character === '\\') at += 1;
      else if (isInBrackets) {
        if (character === ']') isInBrackets = false;
        else if (character === '[' && /[:.=]/.test(this.#source[at + 1] ?? '')) {
          const end = this.#source.indexOf(`${this.#source[at + 1]}]`, at + 2);
          if (end > 0) at = end + 1;
        }
      } else if (character === '[' && mayClose) {
        const close = this.#source.indexOf(']', at);
        isInBrackets = close >= 0 && close < this.#lineEnd(at);
        mayClose = isInBrackets;
        if (this.#source[at + 1] === '^') at += 1;
        if (this.#source[at + 1] === ']') at += 1;
      } else if (character === '/') break;
    }
    this.at = at + 1;
    return this.#source.slice(start + 1, at);
  }

  #lineEnd(at: number): number {
    const end = this.#source.indexOf('\n', at);
    return end < 0 ? this.#source.length : end;
  }

  #matched(expression: RegExp, start: number): string | undefined {
    expression.lastIndex = start;
    const matched = expression.exec(this.#source)?.[0];
    if (matched !== undefined) this.at += matched.length;
    return matched;
  }

  #string(start: number): Token {
    let value = '';
    let at = start + 1;
    let from = at;
    for (; this.#source[at] !== '"'; at++) {
      const character = this.#source[at];
      if (character === undefined || character === '\n') {
        throw this.problem(start, `runaway string constant ${this.#source.slice(start, start + 10)} ...`);
      }
      if (character !== '\\') continue;
      value += this.#source.slice(from, at);
      const read = readEscape(this.#source, at);
      value += read.text;
      from = read.end;
      at = read.end - 1;
    }
    this.at = at + 1;
    return {
      type: 'string',
      text: this.#source.slice(start, at + 1),
      value: joinEscapedBytes(value + this.#source.slice(from, at)),
      start,
    };
  }
}
