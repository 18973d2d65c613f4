/** What a program of `bc` says. */
export type BcExpression =
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'variable'; readonly name: string; readonly index: BcExpression | undefined }
  | {
      readonly type: 'assign';
      readonly target: BcTarget;
      readonly operator: string;
      readonly value: BcExpression;
    }
  | { readonly type: 'step'; readonly target: BcTarget; readonly by: 1 | -1; readonly isPrefix: boolean }
  | { readonly type: 'unary'; readonly operator: '-' | '!'; readonly operand: BcExpression }
  | {
      readonly type: 'binary';
      readonly operator: string;
      readonly left: BcExpression;
      readonly right: BcExpression;
    }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly BcExpression[] }
  | { readonly type: 'group'; readonly inner: BcExpression };

export type BcTarget = Extract<BcExpression, { type: 'variable' }>;

export type BcStatement =
  | { readonly type: 'expression'; readonly expression: BcExpression }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'print'; readonly parts: readonly (string | BcExpression)[] }
  | {
      readonly type: 'if';
      readonly condition: BcExpression;
      readonly then: BcStatement;
      readonly other: BcStatement | undefined;
    }
  | {
      readonly type: 'loop';
      readonly first: BcExpression | undefined;
      readonly condition: BcExpression | undefined;
      readonly step: BcExpression | undefined;
      readonly body: BcStatement;
    }
  | { readonly type: 'block'; readonly statements: readonly BcStatement[] }
  | { readonly type: 'return'; readonly value: BcExpression | undefined }
  | { readonly type: 'define'; readonly name: string; readonly definition: BcFunction }
  | { readonly type: 'break' | 'continue' | 'quit' };

export interface BcFunction {
  readonly parameters: readonly string[];
  readonly locals: readonly string[];
  /** A call of it prints nothing. */
  readonly isVoid: boolean;
  readonly body: BcStatement;
}

export class BcProblem extends Error {}

const token =
  /\s*(?:(#[^\n]*|\/\*[\s\S]*?\*\/|\\\n)|(\n)|("[^"]*")|((?:[0-9A-F]|\\\n)+(?:\.(?:[0-9A-F]|\\\n)*)?|\.(?:[0-9A-F]|\\\n)+)|([a-z][a-z0-9_]*)|(\+\+|--|&&|\|\||[-+*/%^=!<>]=|[-+*/%^=!<>(){}[\],;]))/y;

interface Token {
  readonly kind: 'newline' | 'string' | 'number' | 'name' | 'operator' | 'end';
  readonly text: string;
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const text = source.replaceAll('\t', ' ').replaceAll(/ +(?=\n)/g, '');
  token.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    // Newlines are tokens; other white space is not.
    while (text[at] === ' ' || text[at] === '\r') at += 1;
    if (at >= text.length) break;
    if (text[at] === '\n') {
      tokens.push({ kind: 'newline', text: '\n' });
      at += 1;
      continue;
    }
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) throw new BcProblem(`illegal character: ${text[at]}`);
    const [whole, comment, , string, number, name, operator] = match;
    at += whole.length;
    if (comment !== undefined) continue;
    if (string !== undefined) tokens.push({ kind: 'string', text: string.slice(1, -1) });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number.replaceAll('\\\n', '') });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else tokens.push({ kind: 'operator', text: operator ?? '' });
  }
  tokens.push({ kind: 'newline', text: '\n' }, { kind: 'end', text: '' });
  return tokens;
}

/** Reads a program statement by statement. @throws BcProblem */
export class BcParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = tokensOf(source);
  }

  /** The next statement; `undefined` at the end. */
  next(): BcStatement | undefined {
    while (this.#take('\n') || this.#take(';'));
    if (this.#peek().kind === 'end') return undefined;
    const statement = this.#statement();
    // What follows a function may stand on its line.
    if (statement.type === 'define') return statement;
    const after = this.#peek();
    if (after.kind !== 'end' && !this.#take('\n') && !this.#take(';')) throw new BcProblem('syntax error');
    return statement;
  }

  /** After a mistake: goes on with the next line. */
  skipLine(): void {
    while (this.#peek().kind !== 'end' && !this.#take('\n')) this.#at += 1;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' };
  }

  #take(text: string): boolean {
    const next = this.#peek();
    if (next.text !== text || next.kind === 'string' || next.kind === 'end') return false;
    this.#at += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new BcProblem('syntax error');
  }

  #skipNewlines(): void {
    while (this.#take('\n'));
  }

  #statement(): BcStatement {
    const next = this.#peek();
    if (next.kind === 'string') {
      this.#at += 1;
      return { type: 'text', text: next.text };
    }
    if (this.#take('{')) {
      const statements: BcStatement[] = [];
      for (;;) {
        while (this.#take('\n') || this.#take(';'));
        if (this.#take('}')) return { type: 'block', statements };
        if (this.#peek().kind === 'end') throw new BcProblem('syntax error');
        statements.push(this.#statement());
      }
    }
    if (next.kind === 'name') {
      switch (next.text) {
        case 'if':
          return this.#if();
        case 'while': {
          this.#at += 1;
          this.#expect('(');
          const condition = this.#expression();
          this.#expect(')');
          this.#skipNewlines();
          return { type: 'loop', first: undefined, condition, step: undefined, body: this.#statement() };
        }
        case 'for':
          return this.#for();
        case 'define':
          return this.#define();
        case 'print': {
          this.#at += 1;
          const parts: (string | BcExpression)[] = [];
          do {
            const part = this.#peek();
            if (part.kind === 'string') this.#at += 1;
            parts.push(part.kind === 'string' ? part.text : this.#expression());
          } while (this.#take(','));
          return { type: 'print', parts };
        }
        case 'return': {
          this.#at += 1;
          const isEmpty = this.#peek().kind === 'newline' || [';', '}'].includes(this.#peek().text);
          return { type: 'return', value: isEmpty ? undefined : this.#expression() };
        }
        case 'break':
        case 'continue':
        case 'quit':
          this.#at += 1;
          return { type: next.text };
        case 'halt':
          this.#at += 1;
          return { type: 'quit' };
        default:
      }
    }
    return { type: 'expression', expression: this.#expression() };
  }

  #if(): BcStatement {
    this.#at += 1;
    this.#expect('(');
    const condition = this.#expression();
    this.#expect(')');
    this.#skipNewlines();
    const then = this.#statement();
    const before = this.#at;
    while (this.#take('\n') || this.#take(';'));
    if (!this.#take('else')) {
      this.#at = before;
      return { type: 'if', condition, then, other: undefined };
    }
    this.#skipNewlines();
    return { type: 'if', condition, then, other: this.#statement() };
  }

  #for(): BcStatement {
    this.#at += 1;
    this.#expect('(');
    const part = (end: string) => {
      if (this.#take(end)) return undefined;
      const expression = this.#expression();
      this.#expect(end);
      return expression;
    };
    const [first, condition, step] = [part(';'), part(';'), part(')')];
    this.#skipNewlines();
    return { type: 'loop', first, condition, step, body: this.#statement() };
  }

  #define(): BcStatement {
    this.#at += 1;
    let name = this.#name();
    const isVoid = name === 'void' && this.#peek().kind === 'name';
    if (isVoid) name = this.#name();
    this.#expect('(');
    const parameters = this.#names(')');
    this.#skipNewlines();
    if (this.#peek().text !== '{') throw new BcProblem('syntax error');
    const before = this.#at;
    this.#at += 1;
    while (this.#take('\n') || this.#take(';'));
    const locals = this.#take('auto') ? this.#names('\n', ';') : [];
    const statements: BcStatement[] = [];
    for (;;) {
      while (this.#take('\n') || this.#take(';'));
      if (this.#take('}')) break;
      if (this.#peek().kind === 'end') {
        this.#at = before;
        throw new BcProblem('syntax error');
      }
      statements.push(this.#statement());
    }
    return {
      type: 'define',
      name,
      definition: { parameters, locals, isVoid, body: { type: 'block', statements } },
    };
  }

  #name(): string {
    const next = this.#peek();
    if (next.kind !== 'name') throw new BcProblem('syntax error');
    this.#at += 1;
    return next.text;
  }

  #names(...ends: string[]): string[] {
    const names: string[] = [];
    while (!ends.some((end) => this.#take(end))) {
      const name = this.#name();
      names.push(this.#take('[') ? `${name}[]` : name);
      this.#take(']');
      this.#take(',');
    }
    return names;
  }

  #expression(): BcExpression {
    return this.#binary(0);
  }

  /** From the weakest to the strongest, as GNU's bc has it. */
  static readonly #levels: readonly (readonly string[])[] = [
    ['||'],
    ['&&'],
    ['!'],
    ['<', '<=', '>', '>=', '==', '!='],
    ['='],
    ['+', '-'],
    ['*', '/', '%'],
  ];

  #binary(level: number): BcExpression {
    const operators = BcParser.#levels[level];
    if (operators === undefined) return this.#power();
    if (operators[0] === '!') {
      return this.#take('!')
        ? { type: 'unary', operator: '!', operand: this.#binary(level) }
        : this.#binary(level + 1);
    }
    if (operators[0] === '=') return this.#assignment(level);
    let left = this.#binary(level + 1);
    for (
      let next = this.#peek().text;
      this.#peek().kind === 'operator' && operators.includes(next);
      next = this.#peek().text
    ) {
      this.#at += 1;
      left = { type: 'binary', operator: next, left, right: this.#binary(level + 1) };
    }
    return left;
  }

  #assignment(level: number): BcExpression {
    const left = this.#binary(level + 1);
    const { kind, text } = this.#peek();
    const isAssignment = kind === 'operator' && /^[-+*/%^]?=$/.test(text);
    if (!isAssignment) return left;
    if (left.type !== 'variable') throw new BcProblem('syntax error');
    this.#at += 1;
    return { type: 'assign', target: left, operator: text.slice(0, -1), value: this.#assignment(level) };
  }

  #power(): BcExpression {
    const base = this.#unary();
    if (!this.#take('^')) return base;
    return { type: 'binary', operator: '^', left: base, right: this.#power() };
  }

  #unary(): BcExpression {
    if (this.#take('-')) return { type: 'unary', operator: '-', operand: this.#unary() };
    if (this.#take('+')) return this.#unary();
    for (const [operator, by] of [
      ['++', 1],
      ['--', -1],
    ] as const) {
      if (!this.#take(operator)) continue;
      const target = this.#primary();
      if (target.type !== 'variable') throw new BcProblem('syntax error');
      return { type: 'step', target, by, isPrefix: true };
    }
    const primary = this.#primary();
    for (const [operator, by] of [
      ['++', 1],
      ['--', -1],
    ] as const) {
      if (primary.type === 'variable' && this.#take(operator))
        return { type: 'step', target: primary, by, isPrefix: false };
    }
    return primary;
  }

  #primary(): BcExpression {
    const next = this.#peek();
    this.#at += 1;
    if (next.kind === 'number') return { type: 'number', text: next.text };
    if (next.kind === 'operator' && next.text === '(') {
      const inner = this.#expression();
      this.#expect(')');
      return { type: 'group', inner };
    }
    if (next.kind !== 'name') throw new BcProblem('syntax error');
    if (this.#take('(')) {
      const args: BcExpression[] = [];
      while (!this.#take(')')) {
        args.push(this.#expression());
        if (!this.#take(',') && this.#peek().text !== ')') throw new BcProblem('syntax error');
      }
      return { type: 'call', name: next.text, args };
    }
    if (!this.#take('[')) return { type: 'variable', name: next.text, index: undefined };
    const index = this.#expression();
    this.#expect(']');
    return { type: 'variable', name: next.text, index };
  }
}
