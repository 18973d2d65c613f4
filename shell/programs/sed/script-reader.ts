import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';

/** A piece of a script: an expression of `-e`, or a file. */
export interface ScriptPiece {
  readonly text: ShellText;
  /** `-e expression #1`, or the file's name. */
  readonly origin: ShellText;
  readonly isFile: boolean;
}

/** Reads a script character by character, and knows where it is when something is wrong. */
export class ScriptReader {
  readonly text: ShellText;
  readonly #pieces: readonly ScriptPiece[];
  at = 0;

  constructor(pieces: readonly ScriptPiece[]) {
    this.#pieces = pieces;
    this.text = pieces.map(({ text }) => text).join('\n');
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  peek(): string {
    return this.text[this.at] ?? '';
  }

  next(): string {
    const character = this.text[this.at] ?? '';
    this.at += 1;
    return character;
  }

  skipBlanks(): void {
    while (/[ \t\r\f\v]/.test(this.peek())) this.at += 1;
  }

  skipWhitespace(): void {
    while (/\s/.test(this.peek())) this.at += 1;
  }

  number(): number | undefined {
    const [digits] = /^\d+/.exec(this.text.slice(this.at, this.at + 20)) ?? [];
    if (digits === undefined) return undefined;
    this.at += digits.length;
    return Number(digits);
  }

  /** The rest of the line; the newline is taken and not in it. */
  restOfLine(): ShellText {
    const end = this.text.indexOf('\n', this.at);
    const rest = this.text.slice(this.at, end < 0 ? undefined : end);
    this.at = end < 0 ? this.text.length : end + 1;
    return rest;
  }

  /** @throws ProgramError */
  fail(message: string, place: number | 'whole' = this.at): never {
    let start = 0;
    let piece = this.#pieces[0];
    const at = Math.min(place === 'whole' ? this.at : place, this.text.length);
    for (const candidate of this.#pieces) {
      if (at <= start + candidate.text.length) {
        piece = candidate;
        break;
      }
      start += candidate.text.length + 1;
    }
    const within = this.text.slice(start, at);
    const where = piece?.isFile
      ? `file ${piece.origin} line ${within.split('\n').length}`
      : `${piece?.origin}, char ${place === 'whole' ? 0 : within.length}`;
    throw new ProgramError(`${where}: ${message}`);
  }
}
