import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { compareText } from '../order/compare-text.ts';
import { Regex } from '../patterns/regex.ts';
import { RegexProblem } from '../patterns/regex-node.ts';
import type { Program } from '../program.ts';

export const expr: Program = defineProgram({
  usage: 'EXPRESSION',
  summary: 'Print the value of EXPRESSION to standard output.',
  usageStatus: 2,
  // `-5` is a number, and `--help` alone is an option.
  rewrite: (args) => (args.length === 1 && /^--(help|version)$/.test(args[0] ?? '') ? args : ['--', ...args]),
  async run({ operands, out }) {
    const words = operands[0] === '--' ? operands.slice(1) : operands;
    if (words.length === 0) throw new UsageError('missing operand');
    const value = new ExprParser(words).parse();
    out.add(`${value}\n`);
    return isTrue(value) ? 0 : 1;
  },
});

/** Digits of one number. */
const mostDigits = 100_000;
/** Characters of all that is computed: a second or less. */
const mostWork = 3_000_000;

function isTrue(value: ShellText): boolean {
  return value !== '' && !/^-?0+$/.test(value);
}

const comparisons = ['<', '<=', '=', '==', '!=', '>=', '>'];

class ExprParser {
  readonly #words: readonly ShellText[];
  #at = 0;
  #work = 0;

  constructor(words: readonly ShellText[]) {
    this.#words = words;
  }

  parse(): ShellText {
    const value = this.#or(true);
    const rest = this.#words[this.#at];
    if (rest !== undefined)
      throw new ProgramError(`syntax error: unexpected argument ${quoteName(rest)}`, { status: 2 });
    return value;
  }

  #count(...texts: readonly ShellText[]): void {
    for (const text of texts) this.#work += text.length;
    if (this.#work > mostWork) throw new ProgramError('the expression takes too long', { status: 3 });
  }

  #take(...words: string[]): string | undefined {
    const word = this.#words[this.#at];
    if (word === undefined || !words.includes(word)) return undefined;
    this.#at += 1;
    return word;
  }

  /** What is not evaluated is read only: nothing of it can fail. */
  #or(evaluates: boolean): ShellText {
    let left = this.#and(evaluates);
    while (this.#take('|')) {
      const right = this.#and(evaluates && !isTrue(left));
      if (!isTrue(left)) left = isTrue(right) ? right : '0';
    }
    return left;
  }

  #and(evaluates: boolean): ShellText {
    let left = this.#comparison(evaluates);
    while (this.#take('&')) {
      const right = this.#comparison(evaluates && isTrue(left));
      if (!isTrue(left) || !isTrue(right)) left = '0';
    }
    return left;
  }

  #comparison(evaluates: boolean): ShellText {
    let left = this.#sum(evaluates);
    for (let operator = this.#take(...comparisons); operator; operator = this.#take(...comparisons)) {
      const right = this.#sum(evaluates);
      this.#count(left, right);
      left = holds(operator, compare(left, right)) ? '1' : '0';
    }
    return left;
  }

  #sum(evaluates: boolean): ShellText {
    let left = this.#product(evaluates);
    for (let operator = this.#take('+', '-'); operator; operator = this.#take('+', '-')) {
      const right = this.#product(evaluates);
      if (!evaluates) continue;
      this.#count(left, right);
      const [a, b] = [integerOf(left), integerOf(right)];
      left = digitsOf(operator === '+' ? a + b : a - b);
    }
    return left;
  }

  #product(evaluates: boolean): ShellText {
    let left = this.#match(evaluates);
    for (let operator = this.#take('*', '/', '%'); operator; operator = this.#take('*', '/', '%')) {
      const right = this.#match(evaluates);
      if (!evaluates) continue;
      this.#count(left, right);
      const [a, b] = [integerOf(left), integerOf(right)];
      if (operator !== '*' && b === 0n) throw new ProgramError('division by zero', { status: 2 });
      left = digitsOf(operator === '*' ? a * b : operator === '/' ? a / b : a % b);
    }
    return left;
  }

  #match(evaluates: boolean): ShellText {
    let left = this.#primary(evaluates);
    while (this.#take(':')) {
      const right = this.#primary(evaluates);
      this.#count(left, right);
      if (evaluates) left = matchOf(left, right);
    }
    return left;
  }

  #primary(evaluates: boolean): ShellText {
    const word = this.#words[this.#at];
    if (word === undefined) {
      const before = this.#words[this.#at - 1];
      throw new ProgramError(`syntax error: missing argument after ${quoteName(before ?? '')}`, {
        status: 2,
      });
    }
    this.#at += 1;
    this.#count(word);
    const isFunction = this.#words[this.#at] !== undefined;
    switch (word) {
      case '(': {
        const value = this.#or(evaluates);
        if (this.#take(')')) return value;
        const next = this.#words[this.#at];
        const last = this.#words[this.#at - 1] ?? '';
        throw new ProgramError(
          next === undefined
            ? `syntax error: expecting ')' after ${quoteName(last)}`
            : `syntax error: expecting ')' instead of ${quoteName(next)}`,
          { status: 2 },
        );
      }
      case ')':
        throw new ProgramError("syntax error: unexpected ')'", { status: 2 });
      case '+': {
        const quoted = this.#words[this.#at];
        if (quoted === undefined)
          throw new ProgramError("syntax error: missing argument after '+'", { status: 2 });
        this.#at += 1;
        return quoted;
      }
      case 'length':
        return isFunction ? String([...this.#primary(evaluates)].length) : word;
      case 'match':
        return isFunction ? matchOf(this.#primary(evaluates), this.#primary(evaluates)) : word;
      case 'index': {
        if (!isFunction) return word;
        const [text, characters] = [[...this.#primary(evaluates)], this.#primary(evaluates)];
        return String(text.findIndex((character) => characters.includes(character)) + 1);
      }
      case 'substr': {
        if (!isFunction) return word;
        const text = [...this.#primary(evaluates)];
        const [start, length] = [Number(this.#primary(evaluates)), Number(this.#primary(evaluates))];
        return start > 0 && length > 0 ? text.slice(start - 1, start - 1 + length).join('') : '';
      }
      default:
        return word;
    }
  }
}

function integerOf(text: ShellText): bigint {
  if (!/^-?\d+$/.test(text)) throw new ProgramError('non-integer argument', { status: 2 });
  if (text.length > mostDigits) throw tooLarge();
  return BigInt(text);
}

function digitsOf(number: bigint): ShellText {
  const digits = String(number);
  if (digits.length > mostDigits) throw tooLarge();
  return digits;
}

function tooLarge(): ProgramError {
  return new ProgramError(`a number has more than ${mostDigits} digits`, { status: 3 });
}

function compare(left: ShellText, right: ShellText): number {
  const areIntegers = /^-?\d+$/.test(left) && /^-?\d+$/.test(right);
  if (!areIntegers) return compareText(left, right);
  const [a, b] = [integerOf(left), integerOf(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function holds(operator: string, order: number): boolean {
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '!=':
      return order !== 0;
    default:
      return order === 0;
  }
}

/** The expression matches from the start on. What its group matched, or how many characters. */
function matchOf(text: ShellText, pattern: ShellText): ShellText {
  let regex: Regex;
  try {
    regex = new Regex(pattern, { syntax: 'basic' });
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error;
    throw new ProgramError(error.message, { status: 2 });
  }
  const found = regex.exec(text);
  const match = found?.start === 0 ? found : undefined;
  if (regex.groups > 0) return match?.groups[0] ?? '';
  return String(match === undefined ? 0 : [...text.slice(match.start, match.end)].length);
}
