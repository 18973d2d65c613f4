import { skipBrackets } from '../../syntax/parser/skip-quoted.ts';
import type { ShellText } from '../../text.ts';
import { ArithmeticError } from './arithmetic-error.ts';

type TokenType = 'end' | 'number' | 'variable' | 'increment' | 'decrement' | 'operator';

/** Where bash looks ahead of a name it says so by the token's kind; here `++` after a name is told apart by what stands before. */
interface ArithmeticToken {
  readonly type: TokenType;
  /** The number's or operator's text, or the variable's name. */
  readonly text: string;
  /** The source of a subscript. */
  readonly subscript: ShellText | undefined;
  readonly start: number;
  readonly end: number;
}

const blanks = /[ \t\n]*/y;
const name = /[A-Za-z_]\w*/y;
const number = /\d[\w#@]*/y;
const operator = /<<=|>>=|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||[-*/%+&|^]=|[-+*/%<>=!~&|^?:,()]/y;

/** The tokens of an expression, one at a time. */
export class ArithmeticTokens {
  readonly text: ShellText;
  current: ArithmeticToken = { type: 'end', text: '', subscript: undefined, start: 0, end: 0 };
  /** The token before. */
  previous: ArithmeticToken = this.current;
  /** Where the token that was read last begins: the end of the text is none. */
  lastStart = 0;

  constructor(text: ShellText) {
    this.text = text;
    this.next();
  }

  next(): ArithmeticToken {
    this.previous = this.current;
    this.current = this.#read();
    if (this.current.type !== 'end') this.lastStart = this.current.start;
    return this.current;
  }

  error(reason: string, at: number = this.lastStart, expression: ShellText = this.text): ArithmeticError {
    return new ArithmeticError(expression, { reason, token: expression.slice(at) });
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0];
  }

  #read(): ArithmeticToken {
    const start = this.current.end + (this.#match(blanks, this.current.end) ?? '').length;
    if (start >= this.text.length) return this.#token('end', start, '');
    const variable = this.#match(name, start);
    if (variable !== undefined) return this.#variable(start, variable);
    const digits = this.#match(number, start);
    if (digits !== undefined) return this.#token('number', start, digits);
    const step = this.#stepOperator(start);
    if (step !== undefined) return step;
    const symbol = this.#match(operator, start);
    if (symbol !== undefined) return this.#token('operator', start, symbol);
    this.lastStart = start;
    const isAfterOperand =
      this.current.type !== 'end' && (this.current.type !== 'operator' || this.current.text === ')');
    throw this.error(`syntax error: ${isAfterOperand ? 'invalid arithmetic operator' : 'operand expected'}`);
  }

  #token(type: TokenType, start: number, text: string): ArithmeticToken {
    return { type, text, subscript: undefined, start, end: start + text.length };
  }

  #variable(start: number, text: string): ArithmeticToken {
    const open = start + text.length;
    if (this.text[open] !== '[') return this.#token('variable', start, text);
    const end = skipBrackets(this.text, open + 1, '[]');
    if (end > this.text.length) throw this.error('bad array subscript', start);
    return { type: 'variable', text, subscript: this.text.slice(open + 1, end - 1), start, end };
  }

  /** `++` and `--` change a variable: the one before, or the one that follows. Elsewhere they are two signs. */
  #stepOperator(start: number): ArithmeticToken | undefined {
    const symbol = this.text.slice(start, start + 2);
    if (symbol !== '++' && symbol !== '--') return undefined;
    const isAfterVariable = this.current.type === 'variable';
    const next = start + 2 + (this.#match(blanks, start + 2) ?? '').length;
    if (!isAfterVariable && this.#match(name, next) === undefined) return undefined;
    return this.#token(symbol === '++' ? 'increment' : 'decrement', start, symbol);
  }
}
