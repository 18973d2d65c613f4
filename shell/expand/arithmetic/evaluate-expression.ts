import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import { isStackOverflow } from '../../syntax/stack-overflow.ts';
import type { ShellText } from '../../text.ts';
import { ArithmeticError } from './arithmetic-error.ts';
import { ArithmeticTokens } from './arithmetic-tokens.ts';
import {
  type ArithmeticScope,
  ArithmeticVariables,
  type EvaluationJournal,
  PendingSubscript,
} from './arithmetic-variables.ts';
import { binaryOperators, calculate } from './binary-operators.ts';
import { parseNumber } from './parse-number.ts';

/** Expressions within each other: values of variables, parentheses. bash has 1024. */
const mostNested = 512;

interface Operand {
  readonly value: bigint;
  /** The variable that it is, which may be assigned to. */
  readonly variable?: { readonly name: string; readonly subscript: ShellText | undefined };
}

/** What is left of `shellLimits.arithmeticWork` to the outermost expression that is being evaluated; `undefined` while none is. */
let workLeft: number | undefined;

/**
 * Evaluations that the outermost one needs count together: those of values, of subscripts, and of what subscripts expand.
 * @throws ShellLimitError
 */
function withinWork<Result>(evaluate: () => Result): Result {
  if (workLeft !== undefined) {
    countWork('');
    return evaluate();
  }
  workLeft = shellLimits.arithmeticWork;
  try {
    return evaluate();
  } finally {
    workLeft = undefined;
  }
}

function countWork(text: ShellText): void {
  if (workLeft === undefined) return;
  workLeft -= Math.max(leastWork, text.length);
  if (workLeft >= 0) return;
  throw new ShellLimitError('arithmeticWork', 'an arithmetic expression evaluates too many values');
}

const leastWork = 16;

/**
 * The value of an expression whose expansions were done.
 * @throws ArithmeticError, AssignmentError, ExpansionError, ShellLimitError
 */
export function evaluateExpression(
  text: ShellText,
  scope: ArithmeticScope,
  journal: EvaluationJournal = { hasWritten: false },
): bigint {
  try {
    return withinWork(() => {
      return new Evaluation(text, { scope, journal }, 0).value();
    });
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    throw new ArithmeticError(text, { reason: 'expression recursion level exceeded', token: text });
  }
}

interface EvaluationContext {
  readonly scope: ArithmeticScope;
  readonly journal: EvaluationJournal;
}

export type { ArithmeticScope, EvaluationJournal };
export { PendingSubscript };

/** One text. Its parts are evaluated while they are read, as bash does: so an error is told when it is met. */
class Evaluation {
  readonly #tokens: ArithmeticTokens;
  readonly #variables: ArithmeticVariables;
  readonly #context: EvaluationContext;
  #depth: number;
  /** More than 0 in what is read and not evaluated: the right side of `0 && …`. */
  #skipped = 0;

  constructor(text: ShellText, context: EvaluationContext, depth: number) {
    this.#depth = depth;
    this.#context = context;
    this.#variables = new ArithmeticVariables(context, (inner) => this.#evaluateInner(inner));
    this.#tokens = new ArithmeticTokens(text);
    if (depth > mostNested) throw this.#tokens.error('expression recursion level exceeded', 0);
  }

  value(): bigint {
    if (this.#isAtEnd()) return 0n;
    const value = this.#comma();
    if (!this.#isAtEnd()) throw this.#tokens.error('syntax error in expression');
    return value;
  }

  #isAtEnd(): boolean {
    return this.#tokens.current.type === 'end';
  }

  #evaluateInner(text: ShellText): bigint {
    countWork(text);
    return new Evaluation(text, this.#context, this.#depth + 1).value();
  }

  #is(symbol: string): boolean {
    const { type, text } = this.#tokens.current;
    return type === 'operator' && text === symbol;
  }

  #comma(): bigint {
    let value = this.#assignment();
    while (this.#is(',')) {
      this.#tokens.next();
      value = this.#assignment();
    }
    return value;
  }

  #assignment(): bigint {
    const left = this.#condition();
    const { type, text: operator } = this.#tokens.current;
    const isAssignment = type === 'operator' && operator.endsWith('=') && !/^[=!<>]=$/.test(operator);
    if (!isAssignment) return left.value;
    if (!left.variable) throw this.#tokens.error('attempted assignment to non-variable');
    this.#tokens.next();
    const right = this.#assignment();
    const value =
      operator === '=' ? right : this.#calculate(operator.slice(0, -1), left.value, right, undefined);
    if (this.#skipped === 0) this.#variables.write(left.variable, value);
    return value;
  }

  #condition(): Operand {
    const condition = this.#binary(0);
    if (!this.#is('?')) return condition;
    const isTrue = condition.value !== 0n;
    this.#tokens.next();
    this.#expectExpression();
    const yes = this.#skipping(!isTrue, () => this.#comma());
    if (!this.#is(':')) throw this.#tokens.error("`:' expected for conditional expression");
    this.#tokens.next();
    this.#expectExpression();
    const no = this.#skipping(isTrue, () => this.#condition().value);
    return { value: isTrue ? yes : no };
  }

  #expectExpression(): void {
    if (this.#isAtEnd() || this.#is(':')) throw this.#tokens.error('expression expected');
  }

  #skipping<Result>(isSkipped: boolean, evaluate: () => Result): Result {
    if (!isSkipped) return evaluate();
    this.#skipped += 1;
    const result = evaluate();
    this.#skipped -= 1;
    return result;
  }

  /** Operators that bind as strongly as `lowest` or more. */
  #binary(lowest: number): Operand {
    let left = this.#unary();
    for (;;) {
      const { type, text: operator, end } = this.#tokens.current;
      const strength = type === 'operator' ? binaryOperators.get(operator) : undefined;
      if (strength === undefined || strength < lowest) return left;
      this.#tokens.next();
      const first = left.value;
      const isDecided = (operator === '&&' && first === 0n) || (operator === '||' && first !== 0n);
      // Powers are the ones that associate to the right.
      const second = this.#skipping(isDecided, () =>
        this.#binary(operator === '**' ? strength : strength + 1),
      ).value;
      left = { value: this.#calculate(operator, first, second, end) };
    }
  }

  #calculate(operator: string, left: bigint, right: bigint, rightStart: number | undefined): bigint {
    if ((operator === '/' || operator === '%') && right === 0n) {
      if (this.#skipped > 0) return 0n;
      throw this.#tokens.error('division by 0', rightStart);
    }
    if (operator === '**' && right < 0n) throw this.#tokens.error('exponent less than 0');
    return calculate(operator, left, right);
  }

  #unary(): Operand {
    const { type, text } = this.#tokens.current;
    if (type !== 'operator' || !(text === '!' || text === '~' || text === '-' || text === '+'))
      return this.#operand();
    this.#tokens.next();
    this.#enter();
    const { value } = this.#unary();
    this.#depth -= 1;
    if (text === '!') return { value: value === 0n ? 1n : 0n };
    if (text === '~') return { value: ~value };
    return { value: text === '-' ? BigInt.asIntN(64, -value) : value };
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > mostNested) throw this.#tokens.error('expression recursion level exceeded');
  }

  #operand(): Operand {
    const { type, text, end } = this.#tokens.current;
    if (type === 'increment' || type === 'decrement') return this.#stepFirst(type);
    if (type === 'variable') return this.#variable();
    if (type === 'number') {
      const value = parseNumber(text);
      if (typeof value !== 'bigint') {
        throw this.#tokens.error(value.reason, this.#tokens.lastStart, this.#tokens.text.slice(0, end));
      }
      this.#tokens.next();
      return { value };
    }
    if (!this.#is('(')) throw this.#tokens.error('syntax error: operand expected');
    this.#tokens.next();
    this.#enter();
    const value = this.#comma();
    this.#depth -= 1;
    if (!this.#is(')')) throw this.#tokens.error("missing `)'");
    this.#tokens.next();
    return { value };
  }

  /** `++name`. */
  #stepFirst(type: 'increment' | 'decrement'): Operand {
    const token = this.#tokens.next();
    if (token.type !== 'variable') {
      throw this.#tokens.error('identifier expected after pre-increment or pre-decrement');
    }
    const variable = { name: token.text, subscript: token.subscript };
    const value = BigInt.asIntN(64, this.#read(variable) + (type === 'increment' ? 1n : -1n));
    if (this.#skipped === 0) this.#variables.write(variable, value);
    this.#tokens.next();
    return { value };
  }

  /** `name` and `name++`. What is assigned to by `=` is not read. */
  #variable(): Operand {
    const { text, subscript } = this.#tokens.current;
    const variable = { name: text, subscript };
    const { type, text: operator } = this.#tokens.next();
    if (type === 'operator' && operator === '=') return { value: 0n, variable };
    const value = this.#read(variable);
    if (type !== 'increment' && type !== 'decrement') return { value, variable };
    if (this.#skipped === 0) {
      this.#variables.write(variable, BigInt.asIntN(64, value + (type === 'increment' ? 1n : -1n)));
    }
    this.#tokens.next();
    return { value };
  }

  #read(variable: { name: string; subscript: ShellText | undefined }): bigint {
    return this.#skipped > 0 ? 0n : this.#variables.read(variable);
  }
}
