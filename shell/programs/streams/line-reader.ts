import type { OpenFile } from '../../io/open-file.ts';
import type { ShellText } from '../../text.ts';
import { textLines } from './text-lines.ts';

/** Lines of a file one by one, for what reads several files beside each other. */
export class LineReader {
  readonly #batches: AsyncGenerator<{ readonly lines: readonly ShellText[]; readonly isEnded: boolean }>;
  #lines: readonly ShellText[] = [];
  #at = 0;
  #isEnded = true;

  constructor(file: OpenFile, signal: AbortSignal, delimiter: '\n' | '\0' = '\n') {
    this.#batches = textLines(file, signal, delimiter);
  }

  /** The next line, without its delimiter; `undefined` at the end. */
  async next(): Promise<ShellText | undefined> {
    while (this.#at >= this.#lines.length) {
      const batch = await this.#batches.next();
      if (batch.done) return undefined;
      this.#lines = batch.value.lines;
      this.#isEnded = batch.value.isEnded;
      this.#at = 0;
    }
    const line = this.#lines[this.#at];
    this.#at += 1;
    return line;
  }

  /** Whether the line that was read last had a delimiter after it. */
  get wasEnded(): boolean {
    return this.#isEnded || this.#at < this.#lines.length;
  }
}
