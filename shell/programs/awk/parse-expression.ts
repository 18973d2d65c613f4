import type { ShellText } from '../../text.ts';
import type { ArithmeticOperator, ComparisonOperator, Expression, Scope, Target } from './awk-syntax.ts';
import type { Token } from './lex-awk.ts';
import { TokenReader } from './token-reader.ts';

/** What of an expression would be taken for something else where it stands. */
interface Place {
  /** After `print`, where `>` is a redirection. */
  readonly noGreater?: boolean;
  /** At the start of `for (`, where `in` belongs to the loop. */
  readonly noIn?: boolean;
}

const mostDepth = 200;
const comparisons = new Set(['<', '<=', '==', '!=', '>', '>=']);
const assignments = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=']);
/** The arguments of built-ins that are arrays, by their index. */
const arrayArguments: Readonly<Record<string, number>> = { split: 1, match: 2, asort: 0, asorti: 0 };

/** Reads expressions, by POSIX's grammar and precedence. */
export class ExpressionParser extends TokenReader {
  protected scope: Scope = { parameters: [], arrays: new Set(), calls: [] };
  #depth = 0;
  readonly #functions: ReadonlySet<string>;

  constructor(
    source: ShellText,
    { builtins, functions }: { builtins: ReadonlySet<string>; functions: ReadonlySet<string> },
  ) {
    super(source, builtins);
    this.#functions = functions;
  }

  /** Expressions with commas between, up to what none can begin with. */
  protected expressions(place: Place = {}): Expression[] {
    const list = [this.expression(place)];
    while (this.accept(',')) {
      this.skipNewlines();
      list.push(this.expression(place));
    }
    return list;
  }

  protected expression(place: Place = {}): Expression {
    return this.#nested(() => this.#conditional(place));
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > mostDepth) throw this.lexer.problem(this.token.start, 'expression nested too deeply');
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #conditional(place: Place): Expression {
    const test = this.#or(place);
    if (!this.is('?')) return test;
    this.advance();
    this.skipNewlines();
    const yes = this.expression(place);
    this.skipNewlines();
    this.expect(':');
    this.skipNewlines();
    return { type: 'conditional', test, yes, no: this.expression(place) };
  }

  #or(place: Place): Expression {
    let left = this.#and(place);
    while (this.accept('||')) {
      this.skipNewlines();
      left = { type: 'logical', operator: '||', left, right: this.#and(place) };
    }
    return left;
  }

  #and(place: Place): Expression {
    let left = this.#membership(place);
    while (this.accept('&&')) {
      this.skipNewlines();
      left = { type: 'logical', operator: '&&', left, right: this.#membership(place) };
    }
    return left;
  }

  #membership(place: Place): Expression {
    let left = this.#match(place);
    while (!place.noIn && this.is('in')) {
      this.advance();
      left = { type: 'in', array: this.arrayName(), subscripts: left.type === 'list' ? left.items : [left] };
    }
    return left;
  }

  #match(place: Place): Expression {
    let text = this.#comparison(place);
    while (this.is('~') || this.is('!~')) {
      const isNegated = this.advance().text === '!~';
      text = { type: 'match', isNegated, text, regex: this.#comparison(place) };
    }
    return text;
  }

  #comparison(place: Place): Expression {
    let left = this.concatenation(place);
    while (this.token.type === 'operator' && comparisons.has(this.token.text)) {
      if (place.noGreater && this.token.text === '>') break;
      const operator = this.advance().text as ComparisonOperator;
      left = { type: 'comparison', operator, left, right: this.concatenation(place) };
    }
    return left;
  }

  protected concatenation(place: Place): Expression {
    let left = this.#sum(place);
    let parts: Expression[] | undefined;
    for (;;) {
      if (this.is('|')) {
        const isGetline = this.attempt(() => {
          this.advance();
          return this.accept('getline') || undefined;
        });
        if (!isGetline) return left;
        left = { type: 'getline', from: 'command', source: left, target: this.#optionalTarget() };
        parts = undefined;
      } else if (this.#beginsOperand()) {
        const right = this.#sum(place);
        parts ??= [left];
        parts.push(right);
        left = { type: 'concatenation', parts };
      } else {
        return left;
      }
    }
  }

  /** What begins with a sign is no operand of a concatenation: it is added, or taken away. */
  #beginsOperand(): boolean {
    const { type, text } = this.token;
    if (type === 'number' || type === 'string' || type === 'name' || type === 'builtin') return true;
    if (type !== 'operator') return false;
    return text === '$' || text === '!' || text === '(' || text === '++' || text === '--';
  }

  #sum(place: Place): Expression {
    let left = this.#product(place);
    while (this.is('+') || this.is('-')) {
      const operator = this.advance().text as ArithmeticOperator;
      left = { type: 'arithmetic', operator, left, right: this.#product(place) };
    }
    return left;
  }

  #product(place: Place): Expression {
    let left = this.#unary(place);
    while (this.is('*') || this.is('/') || this.is('%')) {
      const operator = this.advance().text as ArithmeticOperator;
      left = { type: 'arithmetic', operator, left, right: this.#unary(place) };
    }
    return left;
  }

  #unary(place: Place): Expression {
    if (!this.is('!') && !this.is('-') && !this.is('+')) return this.#power(place);
    const operator = this.advance().text as '!' | '-' | '+';
    return { type: 'unary', operator, operand: this.#nested(() => this.#unary(place)) };
  }

  #power(place: Place): Expression {
    const left = this.#postfix(place);
    if (!this.is('^')) return left;
    this.advance();
    return { type: 'arithmetic', operator: '^', left, right: this.#nested(() => this.#exponent(place)) };
  }

  /** It associates to the right, and may have a sign. */
  #exponent(place: Place): Expression {
    if (this.is('-') || this.is('+') || this.is('!')) {
      const operator = this.advance().text as '!' | '-' | '+';
      return { type: 'unary', operator, operand: this.#nested(() => this.#exponent(place)) };
    }
    return this.#power(place);
  }

  #postfix(place: Place): Expression {
    const primary = this.#primary(place);
    if (!isTarget(primary)) return primary;
    if (this.is('++') || this.is('--')) {
      const by = this.advance().text === '++' ? 1 : -1;
      return { type: 'increment', target: primary, by, isPrefix: false };
    }
    if (this.token.type !== 'operator' || !assignments.has(this.token.text)) return primary;
    const { text } = this.advance();
    this.skipNewlines();
    const operator = text === '=' ? undefined : (text[0] as ArithmeticOperator);
    return { type: 'assignment', target: primary, operator, value: this.expression(place) };
  }

  #primary(place: Place): Expression {
    const { token } = this;
    switch (token.type) {
      case 'number':
        this.advance();
        return { type: 'number', value: token.value };
      case 'string':
        this.advance();
        return { type: 'string', value: token.value };
      case 'name':
        return this.#named(token);
      case 'builtin':
        return this.#builtin(token.text);
      case 'keyword':
        if (token.text === 'getline') return this.#getline(place);
        throw this.unexpected();
      case 'operator':
        break;
      default:
        throw this.unexpected();
    }
    switch (token.text) {
      case '/':
      case '/=': {
        const pattern = this.lexer.regex(token.start);
        this.token = this.lexer.next();
        return { type: 'regex', pattern };
      }
      case '$':
        this.advance();
        return { type: 'field', index: this.#nested(() => this.#fieldIndex(place)) };
      case '++':
      case '--': {
        this.advance();
        if (this.token.type !== 'name' && !this.is('$')) throw this.unexpected();
        const target = this.#primary(place);
        if (!isTarget(target)) throw this.unexpected();
        return { type: 'increment', target, by: token.text === '++' ? 1 : -1, isPrefix: true };
      }
      case '(':
        return this.#group();
      default:
        throw this.unexpected();
    }
  }

  /** Binds tighter than all: `$i++` is the field's, `$NF-1` one less than the field. */
  #fieldIndex(place: Place): Expression {
    if (!this.is('-') && !this.is('+') && !this.is('!')) return this.#primary(place);
    const operator = this.advance().text as '!' | '-' | '+';
    return { type: 'unary', operator, operand: this.#nested(() => this.#fieldIndex(place)) };
  }

  #group(): Expression {
    this.expect('(');
    this.skipNewlines();
    const items = this.expressions();
    this.skipNewlines();
    this.expect(')');
    const [first] = items;
    if (items.length === 1 && first !== undefined) return { type: 'group', expression: first };
    return { type: 'list', items };
  }

  #named(token: Token & { type: 'name' }): Expression {
    const name = this.readName();
    if (this.is('(') && (token.isCall || this.#functions.has(name))) return this.#call(name);
    if (this.#functions.has(name)) throw this.lexer.problem(token.start, `improper use of function ${name}`);
    if (!this.is('[')) return { type: 'variable', name };
    this.scope.arrays.add(name);
    return { type: 'element', array: name, subscripts: this.subscripts() };
  }

  protected subscripts(): readonly Expression[] {
    this.expect('[');
    this.skipNewlines();
    const subscripts = this.expressions();
    this.skipNewlines();
    this.expect(']');
    return subscripts;
  }

  #call(name: string): Expression {
    const { line } = this;
    const args = this.#arguments();
    this.scope.calls.push({
      name,
      args: args.map((arg) => (arg.type === 'variable' ? arg.name : undefined)),
    });
    return { type: 'call', name, args, line };
  }

  #arguments(): readonly Expression[] {
    this.expect('(');
    this.skipNewlines();
    const args = this.is(')') ? [] : this.expressions();
    this.skipNewlines();
    this.expect(')');
    return args;
  }

  #builtin(name: string): Expression {
    const { line } = this;
    this.advance();
    if (!this.is('(')) {
      if (name === 'length') return { type: 'builtin', name, args: [], line };
      throw this.unexpected();
    }
    const args = this.#arguments();
    const index = Object.hasOwn(arrayArguments, name) ? arrayArguments[name] : undefined;
    args.forEach((arg, at) => {
      const isArray =
        at === index || (name.startsWith('asort') && at === 1) || (name === 'split' && at === 3);
      if (!isArray) return;
      if (arg.type !== 'variable')
        throw this.lexer.problem(this.token.start, `${name}: argument ${at + 1} is no array`);
      this.scope.arrays.add(arg.name);
    });
    return { type: 'builtin', name, args, line };
  }

  #getline(place: Place): Expression {
    this.expect('getline');
    const target = this.#optionalTarget();
    if (!this.is('<')) return { type: 'getline', from: 'input', source: undefined, target };
    this.advance();
    return { type: 'getline', from: 'file', source: this.#nested(() => this.#primary(place)), target };
  }

  #optionalTarget(): Target | undefined {
    const isVariable = this.token.type === 'name' && !this.#functions.has(this.token.text);
    if (!isVariable && !this.is('$')) return undefined;
    const target = this.#primary({});
    if (!isTarget(target)) throw this.unexpected();
    return target;
  }

  protected arrayName(): string {
    const name = this.readName();
    this.scope.arrays.add(name);
    return name;
  }
}

function isTarget(expression: Expression): expression is Target {
  return expression.type === 'variable' || expression.type === 'field' || expression.type === 'element';
}
