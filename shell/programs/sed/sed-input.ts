import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { Invocation } from '../command-line/define-program.ts';
import { openInput } from '../streams/input.ts';
import { LineReader } from '../streams/line-reader.ts';

interface SedLine {
  readonly text: ShellText;
  /** Whether a newline was after it. */
  readonly isEnded: boolean;
}

/** The lines of all files one after the other, with one that is read ahead: only so the last is known. */
export class SedInput {
  readonly #invocation: Pick<Invocation<never>, 'call' | 'warn'>;
  readonly #names: ShellText[];
  readonly #delimiter: '\n' | '\0';
  #file: OpenFile | undefined;
  #reader: LineReader | undefined;
  #ahead: SedLine | undefined;
  #isLoaded = false;
  name: ShellText = '-';
  hasFailed = false;

  constructor(
    invocation: Pick<Invocation<never>, 'call' | 'warn'>,
    { names, delimiter }: { names: readonly ShellText[]; delimiter: '\n' | '\0' },
  ) {
    this.#invocation = invocation;
    this.#names = [...names].reverse();
    this.#delimiter = delimiter;
  }

  async next(): Promise<SedLine | undefined> {
    if (!this.#isLoaded) this.#ahead = await this.#read();
    const line = this.#ahead;
    this.#isLoaded = false;
    return line;
  }

  async isLast(): Promise<boolean> {
    if (!this.#isLoaded) {
      this.#ahead = await this.#read();
      this.#isLoaded = true;
    }
    return this.#ahead === undefined;
  }

  close(): void {
    this.#file?.release();
    this.#file = undefined;
  }

  async #read(): Promise<SedLine | undefined> {
    for (;;) {
      if (this.#reader === undefined && !(await this.#open())) return undefined;
      try {
        const text = await this.#reader?.next();
        if (text !== undefined) return { text, isEnded: this.#reader?.wasEnded ?? true };
      } catch (error) {
        if (!(error instanceof ShellError)) throw error;
        const why =
          error.code === 'EISDIR' ? `couldn't edit ${this.name}: not a regular file` : error.message;
        await this.#invocation.warn(
          error.code === 'EISDIR' ? `read error on ${this.name}: Is a directory` : why,
        );
        this.hasFailed = true;
      }
      this.close();
      this.#reader = undefined;
    }
  }

  async #open(): Promise<boolean> {
    for (let name = this.#names.pop(); name !== undefined; name = this.#names.pop()) {
      try {
        this.#file = openInput(this.#invocation.call, name);
        this.#reader = new LineReader(this.#file, this.#invocation.call.signal, this.#delimiter);
        this.name = name;
        return true;
      } catch (error) {
        if (!(error instanceof ShellError)) throw error;
        await this.#invocation.warn(`can't read ${name}: ${error.message}`);
        this.hasFailed = true;
      }
    }
    return false;
  }
}
