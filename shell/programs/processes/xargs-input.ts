import type { OpenFile } from '../../io/open-file.ts';
import { decodeText, type ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { pieces } from '../streams/input.ts';
import { lineBatches } from '../streams/lines.ts';

/** An argument that `xargs` read. `endsLine` where a line that counts for `-L` ended with it. */
export interface InputArgument {
  readonly text: ShellText;
  readonly endsLine: boolean;
}

/** Arguments between delimiters: nothing is special in them (`-0`, `-d`). */
export async function* delimitedArguments(
  file: OpenFile,
  { signal, delimiter }: { signal: AbortSignal; delimiter: number },
): AsyncGenerator<InputArgument> {
  for await (const lines of lineBatches(file, signal, delimiter)) {
    for (const line of lines) {
      const text = line.at(-1) === delimiter ? line.subarray(0, -1) : line;
      yield { text: decodeText(text), endsLine: true };
    }
  }
}

/** Arguments between blanks and newlines, with quotes and backslashes. With `wholeLines` blanks are part of them (`-I`). */
export async function* quotedArguments(
  file: OpenFile,
  {
    signal,
    wholeLines,
    endMark,
  }: { signal: AbortSignal; wholeLines: boolean; endMark: ShellText | undefined },
): AsyncGenerator<InputArgument> {
  const reader = new QuoteReader(wholeLines);
  for await (const lines of lineBatches(file, signal)) {
    for (const line of lines) {
      for (const argument of reader.read(decodeText(line))) {
        if (argument.text === endMark) {
          // What follows the end mark is read and thrown away.
          for await (const _ of pieces(file, signal));
          return;
        }
        yield argument;
      }
      if (reader.problem) throw reader.problem;
    }
  }
  yield* reader.end();
}

class QuoteReader {
  readonly #wholeLines: boolean;
  #word: ShellText | undefined;
  /** A quote that was not closed: what stood before it is read. */
  problem: ProgramError | undefined;

  constructor(wholeLines: boolean) {
    this.#wholeLines = wholeLines;
  }

  /** The arguments of a line; one may go on in the next. */
  read(line: ShellText): InputArgument[] {
    const words: ShellText[] = [];
    let isContinued = false;
    let at = this.#wholeLines && this.#word === undefined ? line.length - line.trimStart().length : 0;
    if (at === line.length) at = line.endsWith('\n') ? line.length - 1 : at;
    for (; at < line.length; at++) {
      const character = line[at] ?? '';
      if (character === '\n') {
        this.#finish(words);
        isContinued = !this.#wholeLines && /[ \t]\n$/.test(line) && words.length > 0;
      } else if (/[ \t]/.test(character) && !this.#wholeLines) this.#finish(words);
      else if (character === '\\') {
        at += 1;
        const next = line[at];
        if (next !== undefined) this.#word = (this.#word ?? '') + next;
      } else if (character === '"' || character === "'") {
        const end = line.indexOf(character, at + 1);
        if (end < 0 || line.slice(at, end).includes('\n')) {
          const kind = character === '"' ? 'double' : 'single';
          this.problem = new ProgramError(
            `unmatched ${kind} quote; by default quotes are special to xargs unless you use the -0 option`,
          );
          break;
        }
        this.#word = (this.#word ?? '') + line.slice(at + 1, end);
        at = end;
      } else this.#word = (this.#word ?? '') + character;
    }
    return words.map((text, index) => ({
      text,
      endsLine: index === words.length - 1 && this.#word === undefined && !isContinued,
    }));
  }

  *end(): Generator<InputArgument> {
    if (this.#word !== undefined) yield { text: this.#word, endsLine: true };
  }

  #finish(words: ShellText[]): void {
    if (this.#word !== undefined) words.push(this.#word);
    this.#word = undefined;
  }
}
