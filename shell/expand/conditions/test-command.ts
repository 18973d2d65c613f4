import type { ShellText } from '../../text.ts';
import { ExpansionError, type ExpansionScope } from '../expansion-scope.ts';
import type { Steps } from '../steps.ts';
import { compareIntegers, type IntegerOperator } from './compare-integers.ts';
import { compareFiles } from './file-tests.ts';
import { isUnaryOperator, testUnary } from './unary-tests.ts';

const integerOperators: readonly string[] = [
  '-eq',
  '-ne',
  '-lt',
  '-le',
  '-gt',
  '-ge',
] satisfies IntegerOperator[];
const binaryOperators: ReadonlySet<string> = new Set([
  ...['=', '==', '!=', '<', '>', '-nt', '-ot', '-ef'],
  ...integerOperators,
]);

/** The arguments are no expression. */
class TestProblem extends Error {}

/** `test` and `[`, by the rules of POSIX for one to four arguments. */
export function* testArguments(
  args: readonly ShellText[],
  { scope, name }: { scope: ExpansionScope; name: string },
): Steps<0 | 1 | 2> {
  try {
    return (yield* new TestParser(args, scope).evaluate()) ? 0 : 1;
  } catch (error) {
    // Parentheses may be nested deeper than the stack is.
    const isProblem =
      error instanceof TestProblem || error instanceof ExpansionError || error instanceof RangeError;
    if (!isProblem) throw error;
    scope.warn(`${name}: ${error instanceof RangeError ? 'too many arguments' : error.message}`);
    return 2;
  }
}

class TestParser {
  readonly #args: readonly ShellText[];
  readonly #scope: ExpansionScope;
  #at = 0;

  constructor(args: readonly ShellText[], scope: ExpansionScope) {
    this.#args = args;
    this.#scope = scope;
  }

  evaluate(): Steps<boolean> {
    return this.#byCount(this.#args);
  }

  *#byCount(args: readonly ShellText[]): Steps<boolean> {
    const [first = '', second = '', third = '', fourth = ''] = args;
    switch (args.length) {
      case 0:
        return false;
      case 1:
        return first !== '';
      case 2:
        if (first === '!') return second === '';
        if (isUnaryOperator(first)) return yield* testUnary(first, second, this.#scope);
        throw new TestProblem(`${first}: unary operator expected`);
      case 3:
        return yield* this.#three([first, second, third]);
      case 4:
        if (first === '!') return !(yield* this.#three([second, third, fourth]));
        if (first === '(' && fourth === ')') return yield* this.#byCount([second, third]);
        return yield* this.#expression();
      default:
        return yield* this.#expression();
    }
  }

  *#three([first, second, third]: readonly [ShellText, ShellText, ShellText]): Steps<boolean> {
    if (binaryOperators.has(second)) return this.#compare(second, first, third);
    if (second === '-a') return first !== '' && third !== '';
    if (second === '-o') return first !== '' || third !== '';
    if (first === '!') return !(yield* this.#byCount([second, third]));
    if (first === '(' && third === ')') return second !== '';
    throw new TestProblem(`${second}: binary operator expected`);
  }

  *#expression(): Steps<boolean> {
    const value = yield* this.#or();
    if (this.#at < this.#args.length) throw new TestProblem('too many arguments');
    return value;
  }

  *#or(): Steps<boolean> {
    let value = yield* this.#and();
    while (this.#take('-o')) {
      const other = yield* this.#and();
      value ||= other;
    }
    return value;
  }

  *#and(): Steps<boolean> {
    let value = yield* this.#term();
    while (this.#take('-a')) {
      const other = yield* this.#term();
      value &&= other;
    }
    return value;
  }

  *#term(): Steps<boolean> {
    let isNegated = false;
    while (this.#take('!')) isNegated = !isNegated;
    return (yield* this.#operand()) !== isNegated;
  }

  *#operand(): Steps<boolean> {
    const first = this.#args[this.#at];
    if (first === undefined) throw new TestProblem('argument expected');
    if (first === '(') {
      this.#at += 1;
      const value = yield* this.#or();
      if (!this.#take(')')) throw new TestProblem("`)' expected");
      return value;
    }
    const operator = this.#args[this.#at + 1];
    const right = this.#args[this.#at + 2];
    if (operator !== undefined && right !== undefined && binaryOperators.has(operator)) {
      this.#at += 3;
      return this.#compare(operator, first, right);
    }
    if (isUnaryOperator(first) && operator !== undefined) {
      this.#at += 2;
      return yield* testUnary(first, operator, this.#scope);
    }
    this.#at += 1;
    return first !== '';
  }

  #take(word: string): boolean {
    if (this.#args[this.#at] !== word) return false;
    this.#at += 1;
    return true;
  }

  #compare(operator: string, left: ShellText, right: ShellText): boolean {
    switch (operator) {
      case '=':
      case '==':
        return left === right;
      case '!=':
        return left !== right;
      case '<':
        return left < right;
      case '>':
        return left > right;
      case '-nt':
      case '-ot':
      case '-ef':
        return compareFiles(operator, { left, right }, this.#scope);
      default:
        return compareIntegers(operator as IntegerOperator, integerOf(left), integerOf(right));
    }
  }
}

function integerOf(text: ShellText): bigint {
  const [, digits] = /^\s*([-+]?\d+)\s*$/.exec(text) ?? [];
  if (digits === undefined) throw new TestProblem(`${text}: integer expression expected`);
  return BigInt(digits.replace('+', ''));
}
