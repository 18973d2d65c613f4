import type { ShellText } from '../../text.ts';
import type { SyntaxProblem } from './awk-syntax.ts';
import { Lexer, type Token } from './lex-awk.ts';

/** Takes the tokens of a program one by one. */
export class TokenReader {
  protected readonly lexer: Lexer;
  protected token: Token;

  constructor(source: ShellText, builtins: ReadonlySet<string>) {
    this.lexer = new Lexer(source, builtins);
    this.token = this.lexer.next();
  }

  protected get line(): number {
    return this.lexer.lineAt(this.token.start);
  }

  protected advance(): Token {
    const { token } = this;
    this.token = this.lexer.next();
    return token;
  }

  protected is(text: string): boolean {
    const { type } = this.token;
    return (type === 'operator' || type === 'keyword') && this.token.text === text;
  }

  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.advance();
    return true;
  }

  protected expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected();
  }

  protected unexpected(): SyntaxProblem {
    const { start, text } = this.token;
    return this.lexer.problem(start, `syntax error at or near ${text}`);
  }

  protected skipNewlines(): void {
    while (this.token.type === 'newline') this.advance();
  }

  protected readName(): string {
    const { token } = this;
    if (token.type !== 'name') throw this.unexpected();
    this.advance();
    return token.text;
  }

  /** Reads ahead, and goes back unless something comes of it. */
  protected attempt<T>(read: () => T | undefined): T | undefined {
    const { token } = this;
    const { at } = this.lexer;
    const result = read();
    if (result === undefined) {
      this.token = token;
      this.lexer.at = at;
    }
    return result;
  }
}
