import type { ShellText } from '../../text.ts';
import {
  type AwkFunction,
  type AwkProgram,
  type Expression,
  type Pattern,
  type Redirection,
  type Rule,
  type Scope,
  type Statement,
  SyntaxProblem,
} from './awk-syntax.ts';
import { ExpressionParser } from './parse-expression.ts';

/** Reads a program. @throws SyntaxProblem */
export function parseAwk(source: ShellText, builtins: ReadonlySet<string>): AwkProgram {
  if (source.length > longestSource) throw new SyntaxProblem('the program is too long');
  const functions = new Set<string>();
  for (const [, name = ''] of source.matchAll(/\bfunc(?:tion)?[ \t]+([A-Za-z_]\w*)[ \t]*\(/g))
    functions.add(name);
  return new ProgramParser(source, { builtins, functions }).program();
}

const longestSource = 1_048_576;
const mostNesting = 400;

class ProgramParser extends ExpressionParser {
  readonly #begin: Statement[] = [];
  readonly #end: Statement[] = [];
  readonly #rules: Rule[] = [];
  readonly #defined: Map<string, AwkFunction> = new Map();
  #isInFunction = false;
  #loops = 0;
  #nesting = 0;
  /** In BEGIN, END or a rule: `next` is only for rules. */
  #isInRule = false;

  program(): AwkProgram {
    const { scope } = this;
    for (;;) {
      while (this.token.type === 'newline' || this.is(';')) this.advance();
      if (this.token.type === 'end') break;
      this.#item();
    }
    return { begin: this.#begin, rules: this.#rules, end: this.#end, functions: this.#defined, scope };
  }

  #item(): void {
    if (this.accept('BEGIN')) {
      this.#begin.push(this.#block());
      return;
    }
    if (this.accept('END')) {
      this.#end.push(this.#block());
      return;
    }
    if (this.is('function') || this.is('func')) {
      this.#function();
      return;
    }
    const pattern = this.#pattern();
    this.#isInRule = true;
    this.#rules.push({ pattern, action: this.is('{') ? this.#block() : undefined });
    this.#isInRule = false;
  }

  #pattern(): Pattern {
    if (this.is('{')) return { type: 'always' };
    const from = this.expression();
    if (!this.accept(',')) return { type: 'expression', test: from };
    this.skipNewlines();
    return { type: 'range', from, to: this.expression() };
  }

  #function(): void {
    this.advance();
    const { start } = this.token;
    const name = this.readName();
    if (this.#defined.has(name)) throw this.lexer.problem(start, `redefinition of ${name}`);
    this.expect('(');
    const parameters: string[] = [];
    while (!this.is(')')) {
      this.skipNewlines();
      parameters.push(this.readName());
      this.skipNewlines();
      if (!this.is(')')) this.expect(',');
    }
    this.advance();
    this.skipNewlines();
    const outer = this.scope;
    const scope: Scope = { parameters, arrays: new Set(), calls: [] };
    this.scope = scope;
    this.#isInFunction = true;
    const body = this.#block();
    this.#isInFunction = false;
    this.scope = outer;
    // What is no parameter is everybody's.
    for (const array of scope.arrays) if (!parameters.includes(array)) outer.arrays.add(array);
    this.#defined.set(name, { name, scope, body });
  }

  #block(): Statement {
    this.#nesting += 1;
    if (this.#nesting > mostNesting)
      throw this.lexer.problem(this.token.start, 'statements nested too deeply');
    this.expect('{');
    const statements: Statement[] = [];
    for (;;) {
      while (this.token.type === 'newline' || this.is(';')) this.advance();
      if (this.token.type === 'end') throw this.lexer.problem(this.token.start, 'missing } near end of file');
      if (this.accept('}')) break;
      statements.push(this.#statement());
    }
    this.#nesting -= 1;
    return { type: 'block', statements };
  }

  #statement(): Statement {
    if (this.is('{')) return this.#block();
    const { text, type } = this.token;
    if (type === 'keyword') {
      switch (text) {
        case 'if':
          return this.#if();
        case 'while':
          return this.#while();
        case 'do':
          return this.#do();
        case 'for':
          return this.#for();
      }
    }
    const statement = this.#simple();
    this.#endOfStatement();
    return statement;
  }

  /** A statement that a loop or a condition governs: it may be empty. */
  #body(): Statement {
    this.skipNewlines();
    if (this.accept(';')) return { type: 'block', statements: [] };
    this.#nesting += 1;
    if (this.#nesting > mostNesting)
      throw this.lexer.problem(this.token.start, 'statements nested too deeply');
    const statement = this.#statement();
    this.#nesting -= 1;
    return statement;
  }

  #loopBody(): Statement {
    this.#loops += 1;
    const body = this.#body();
    this.#loops -= 1;
    return body;
  }

  #endOfStatement(): void {
    if (this.token.type === 'newline' || this.is(';')) {
      this.advance();
      return;
    }
    if (this.is('}')) return;
    if (this.token.type === 'end') throw this.lexer.problem(this.token.start, 'missing } near end of file');
    throw this.unexpected();
  }

  #if(): Statement {
    this.advance();
    const test = this.#condition();
    const yes = this.#body();
    const hasElse = this.attempt(() => {
      while (this.token.type === 'newline' || this.is(';')) this.advance();
      return this.accept('else') || undefined;
    });
    return { type: 'if', test, yes, no: hasElse ? this.#body() : undefined };
  }

  #condition(): Expression {
    this.expect('(');
    this.skipNewlines();
    const test = this.expression();
    this.skipNewlines();
    this.expect(')');
    return test;
  }

  #while(): Statement {
    this.advance();
    const test = this.#condition();
    return { type: 'while', test, body: this.#loopBody() };
  }

  #do(): Statement {
    this.advance();
    const body = this.#loopBody();
    while (this.token.type === 'newline' || this.is(';')) this.advance();
    this.expect('while');
    const test = this.#condition();
    this.#endOfStatement();
    return { type: 'do', body, test };
  }

  #for(): Statement {
    this.advance();
    this.expect('(');
    const over = this.attempt(() => this.#forInHead());
    if (over) {
      this.scope.arrays.add(over.array);
      return { type: 'for-in', target: over.target, array: over.array, body: this.#loopBody() };
    }
    this.skipNewlines();
    const start = this.is(';') ? undefined : this.#simple();
    this.expect(';');
    this.skipNewlines();
    const test = this.is(';') ? undefined : this.expression();
    this.expect(';');
    this.skipNewlines();
    const step = this.is(')') ? undefined : this.#simple();
    this.expect(')');
    return { type: 'for', start, test, step, body: this.#loopBody() };
  }

  /** `name in array)`; parentheses may stand around. */
  #forInHead(): { target: { type: 'variable'; name: string }; array: string } | undefined {
    const isGrouped = this.accept('(');
    if (this.token.type !== 'name') return undefined;
    const name = this.readName();
    if (!this.accept('in') || this.token.type !== 'name') return undefined;
    const array = this.readName();
    if (isGrouped && !this.accept(')')) return undefined;
    return this.accept(')') ? { target: { type: 'variable', name }, array } : undefined;
  }

  #simple(): Statement {
    const { type, text, start } = this.token;
    if (type !== 'keyword' || text === 'getline')
      return { type: 'expression', expression: this.expression() };
    this.advance();
    switch (text) {
      case 'print':
      case 'printf':
        return this.#print(text);
      case 'break':
      case 'continue':
        if (this.#loops === 0) throw this.lexer.problem(start, `${text} statement outside of loop`);
        return { type: text };
      case 'next':
      case 'nextfile':
        if (!this.#isInRule && !this.#isInFunction)
          throw this.lexer.problem(start, `improper use of ${text}`);
        return { type: text };
      case 'return':
        if (!this.#isInFunction) throw this.lexer.problem(start, 'return outside function body');
        return { type: 'return', value: this.#optionalExpression() };
      case 'exit':
        return { type: 'exit', value: this.#optionalExpression() };
      case 'delete': {
        const isGrouped = this.accept('(');
        const array = this.arrayName();
        const subscripts = this.is('[') ? this.subscripts() : undefined;
        if (isGrouped) this.expect(')');
        return { type: 'delete', array, subscripts };
      }
      default:
        throw this.lexer.problem(start, `syntax error at or near ${text}`);
    }
  }

  #optionalExpression(): Expression | undefined {
    const { type } = this.token;
    return type === 'newline' || type === 'end' || this.is(';') || this.is('}')
      ? undefined
      : this.expression();
  }

  #print(type: 'print' | 'printf'): Statement {
    const isBare =
      this.token.type === 'newline' ||
      this.token.type === 'end' ||
      [';', '}', '>', '>>', '|'].some((text) => this.is(text));
    let args: readonly Expression[] = isBare ? [] : this.expressions({ noGreater: true });
    const [only] = args;
    if (args.length === 1 && only?.type === 'list') args = only.items;
    if (type === 'printf' && args.length === 0) throw this.unexpected();
    return { type, args, redirection: this.#redirection() };
  }

  #redirection(): Redirection | undefined {
    const kind = (['>', '>>', '|'] as const).find((text) => this.is(text));
    if (kind === undefined) return undefined;
    this.advance();
    return { kind, target: this.concatenation({ noGreater: true }) };
  }
}
