import type { Output } from '../../streams/output.ts';
import type { Steps } from '../../streams/steps.ts';
import { arctangent, cosine, exponential, logarithm, sine } from './bc-library.ts';
import {
  add,
  type BcNumber,
  compare,
  digitCount,
  divide,
  multiply,
  negate,
  numberOf,
  one,
  parseNumeral,
  printNumber,
  raise,
  remainder,
  squareRoot,
  subtract,
  zero,
} from './bc-number.ts';
import {
  type BcExpression,
  type BcFunction,
  BcProblem,
  type BcStatement,
  type BcTarget,
} from './bc-syntax.ts';

const mostDepth = 500;
const mostDigits = 100_000;
/** Digits of all variables together. */
const mostHeldDigits = 50_000_000;
const mostVariables = 1_000_000;
const mostOutputBase = 2 ** 31 - 1;
const lineLength = 70;

type Flow = 'next' | 'break' | 'continue' | 'quit' | { readonly returned: BcNumber };

const library: ReadonlyMap<string, (value: BcNumber, scale: number, steps: Steps) => Promise<BcNumber>> =
  new Map([
    ['s', sine],
    ['c', cosine],
    ['a', arctangent],
    ['l', logarithm],
    ['e', exponential],
  ]);

/** The state of a calculation: variables, functions, and how numbers are shown. */
export class BcMachine {
  readonly #out: Output;
  readonly #steps: Steps;
  readonly #hasLibrary: boolean;
  #variables: Map<string, BcNumber> = new Map();
  readonly #functions: Map<string, BcFunction> = new Map();
  #heldDigits = 0;
  #scale: number;
  #inputBase = 10;
  #outputBase = 10;
  #last: BcNumber = zero;
  #depth = 0;

  constructor({ out, steps, hasLibrary }: { out: Output; steps: Steps; hasLibrary: boolean }) {
    this.#out = out;
    this.#steps = steps;
    this.#hasLibrary = hasLibrary;
    this.#scale = hasLibrary ? 20 : 0;
  }

  /** @throws BcProblem */
  async run(statement: BcStatement): Promise<Flow> {
    if (this.#steps.isDue) await this.#steps.next();
    if (this.#out.isFull) await this.#out.flush();
    switch (statement.type) {
      case 'expression': {
        const { expression } = statement;
        const value = await this.#evaluate(expression);
        const isVoid = expression.type === 'call' && this.#functions.get(expression.name)?.isVoid;
        if (expression.type !== 'assign' && !isVoid) this.#print(value, '\n');
        return 'next';
      }
      case 'text':
        this.#out.add(statement.text);
        return 'next';
      case 'print':
        for (const part of statement.parts) {
          if (typeof part === 'string') this.#out.add(expandPrinted(part));
          else this.#print(await this.#evaluate(part), '');
        }
        return 'next';
      case 'if': {
        const isTrue = (await this.#evaluate(statement.condition)).units !== 0n;
        const branch = isTrue ? statement.then : statement.other;
        return branch ? this.run(branch) : 'next';
      }
      case 'loop':
        return this.#loop(statement);
      case 'block':
        for (const inner of statement.statements) {
          const flow = await this.run(inner);
          if (flow !== 'next') return flow;
        }
        return 'next';
      case 'return':
        return { returned: statement.value ? await this.#evaluate(statement.value) : zero };
      case 'define':
        this.#functions.set(statement.name, statement.definition);
        return 'next';
      default:
        return statement.type;
    }
  }

  async #loop({ first, condition, step, body }: Extract<BcStatement, { type: 'loop' }>): Promise<Flow> {
    if (first) await this.#evaluate(first);
    while (condition === undefined || (await this.#evaluate(condition)).units !== 0n) {
      await this.#steps.next();
      const flow = await this.run(body);
      if (flow === 'break') break;
      if (flow === 'quit' || typeof flow === 'object') return flow;
      if (step) await this.#evaluate(step);
      if (this.#out.isFull) await this.#out.flush();
    }
    return 'next';
  }

  #print(value: BcNumber, end: string): void {
    this.#last = value;
    const text = printNumber(value, this.#outputBase);
    const rows: string[] = [];
    // Long numbers are broken by a backslash.
    for (let at = 0; at < text.length; at += lineLength - 2) rows.push(text.slice(at, at + lineLength - 2));
    this.#out.add((text.length < lineLength ? text : rows.join('\\\n')) + end);
  }

  async #evaluate(expression: BcExpression): Promise<BcNumber> {
    switch (expression.type) {
      case 'number':
        if (expression.text.length > mostDigits) return fail('number too long');
        return parseNumeral(expression.text, this.#inputBase);
      case 'group':
        return this.#evaluate(expression.inner);
      case 'variable':
        return this.#get(expression);
      case 'unary': {
        const value = await this.#evaluate(expression.operand);
        return expression.operator === '-' ? negate(value) : value.units === 0n ? one : zero;
      }
      case 'step': {
        const before = await this.#get(expression.target);
        const after = add(before, numberOf(expression.by));
        await this.#set(expression.target, after);
        return expression.isPrefix ? after : before;
      }
      case 'assign': {
        const value = await this.#evaluate(expression.value);
        const before = expression.operator === '' ? undefined : await this.#get(expression.target);
        const result = before ? this.#operate(expression.operator, before, value) : value;
        await this.#set(expression.target, result);
        return result;
      }
      case 'binary':
        return this.#binary(expression);
      case 'call':
        return this.#call(expression);
    }
  }

  /** A chain of operators, which may be long, from the left to the right. */
  async #binary(expression: Extract<BcExpression, { type: 'binary' }>): Promise<BcNumber> {
    const chain = [expression];
    let first = expression.left;
    for (; first.type === 'binary'; first = first.left) chain.push(first);
    let left = await this.#evaluate(first);
    for (const { operator, right } of chain.reverse()) {
      if (this.#steps.isDue) await this.#steps.next();
      if (operator === '&&' && left.units === 0n) left = zero;
      else if (operator === '||' && left.units !== 0n) left = one;
      else left = this.#operate(operator, left, await this.#evaluate(right));
    }
    return left;
  }

  #operate(operator: string, left: BcNumber, right: BcNumber): BcNumber {
    const result = this.#result(operator, left, right);
    if (digitCount(result.units) > mostDigits) return fail('number too long');
    return result;
  }

  #result(operator: string, left: BcNumber, right: BcNumber): BcNumber {
    const truth = (value: boolean) => (value ? one : zero);
    switch (operator) {
      case '+':
        return add(left, right);
      case '-':
        return subtract(left, right);
      case '*':
        return multiply(left, right, this.#scale);
      case '/':
        return divide(left, right, this.#scale) ?? fail('Divide by zero');
      case '%':
        return remainder(left, right, this.#scale) ?? fail('Modulo by zero');
      case '^': {
        const exponent = right.units / 10n ** BigInt(right.scale);
        const size = exponent < 0n ? -exponent : exponent;
        if (Number(size) * digitCount(left.units) > mostDigits) return fail('exponent too large in raise');
        return raise(left, exponent, this.#scale) ?? fail('Divide by zero');
      }
      case '<':
        return truth(compare(left, right) < 0);
      case '<=':
        return truth(compare(left, right) <= 0);
      case '>':
        return truth(compare(left, right) > 0);
      case '>=':
        return truth(compare(left, right) >= 0);
      case '==':
        return truth(compare(left, right) === 0);
      case '!=':
        return truth(compare(left, right) !== 0);
      default:
        return truth(right.units !== 0n);
    }
  }

  async #call({ name, args }: Extract<BcExpression, { type: 'call' }>): Promise<BcNumber> {
    const values: BcNumber[] = [];
    for (const argument of args) values.push(await this.#evaluate(argument));
    const [value = zero] = values;
    if (name === 'sqrt') return squareRoot(value, this.#scale) ?? fail('Square root of a negative number');
    if (name === 'scale') return numberOf(value.scale);
    if (name === 'length')
      return numberOf(Math.max(String(value.units < 0n ? -value.units : value.units).length, value.scale));
    const definition = this.#functions.get(name);
    if (definition === undefined) {
      const built = this.#hasLibrary ? library.get(name) : undefined;
      return built ? await built(value, this.#scale, this.#steps) : fail(`Function ${name} not defined.`);
    }
    if (definition.parameters.length !== values.length) return fail('Parameter number mismatch');
    this.#depth += 1;
    if (this.#depth > mostDepth) return fail('too many functions within each other');
    const before = new Map<string, BcNumber | undefined>();
    for (const local of [...definition.parameters, ...definition.locals])
      before.set(local, this.#variables.get(local));
    for (const local of definition.locals) this.#variables.delete(local);
    for (const [index, parameter] of definition.parameters.entries())
      this.#variables.set(parameter, values[index] ?? zero);
    await this.#steps.next();
    try {
      const flow = await this.run(definition.body);
      return typeof flow === 'object' ? flow.returned : zero;
    } finally {
      this.#depth -= 1;
      for (const [local, old] of before) {
        if (old === undefined) this.#variables.delete(local);
        else this.#variables.set(local, old);
      }
    }
  }

  async #keyOf({ name, index }: BcTarget): Promise<string> {
    if (index === undefined) return name;
    const { units, scale } = await this.#evaluate(index);
    return `${name}[${units / 10n ** BigInt(scale)}]`;
  }

  async #get(target: BcTarget): Promise<BcNumber> {
    switch (target.index === undefined ? target.name : '') {
      case 'scale':
        return numberOf(this.#scale);
      case 'ibase':
        return numberOf(this.#inputBase);
      case 'obase':
        return numberOf(this.#outputBase);
      case 'last':
        return this.#last;
      default:
        return this.#variables.get(await this.#keyOf(target)) ?? zero;
    }
  }

  async #set(target: BcTarget, value: BcNumber): Promise<void> {
    const integer = Number(value.units / 10n ** BigInt(value.scale));
    switch (target.index === undefined ? target.name : '') {
      case 'scale':
        if (integer < 0) fail('negative scale, set to 0');
        this.#scale = Math.min(integer, 10_000);
        break;
      case 'ibase':
        this.#inputBase = Math.min(Math.max(integer, 2), 16);
        break;
      case 'obase':
        this.#outputBase = Math.min(Math.max(integer, 2), mostOutputBase);
        break;
      case 'last':
        this.#last = value;
        break;
      default:
        this.#hold(await this.#keyOf(target), value);
    }
  }

  #hold(key: string, value: BcNumber): void {
    const before = this.#variables.get(key);
    this.#heldDigits += digitCount(value.units) - (before ? digitCount(before.units) : 0);
    this.#variables.set(key, value);
    if (this.#heldDigits > mostHeldDigits || this.#variables.size > mostVariables) {
      this.#variables.clear();
      this.#heldDigits = 0;
      fail('the variables take too much memory');
    }
  }
}

function fail(message: string): never {
  throw new BcProblem(message);
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  q: '"',
  t: '\t',
  '\\': '\\',
};

function expandPrinted(text: string): string {
  return text.replaceAll(/\\([abfnrqt\\])/g, (_, letter: string) => escapes[letter] ?? '');
}
