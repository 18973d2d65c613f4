import type { CliContext } from '../context.ts';
import { plainLines } from './plain-text.ts';

/** Prints results for people, or as JSON, and what takes time on standard error. */
export class Printer {
  readonly isJson: boolean;
  readonly #context: CliContext;
  readonly #isQuiet: boolean;

  constructor(context: CliContext, options: { readonly json?: boolean; readonly quiet?: boolean }) {
    this.#context = context;
    this.isJson = options.json === true;
    this.#isQuiet = options.quiet === true;
  }

  /** One result: `value` as a line of JSON, or `text` for people. */
  result(value: object, text: () => string): void {
    const line = this.isJson ? JSON.stringify(value) : text();
    if (line !== '') this.#context.stdout.write(`${line}\n`);
  }

  /** What went wrong with a result that is there all the same; as JSON, the result has it. */
  warn({ warning }: { readonly warning?: string }): void {
    if (warning !== undefined && !this.isJson)
      this.#context.stderr.write(`coppice: ${plainLines(warning)}\n`);
  }

  /** A remark for people, on standard error. */
  note(text: string): void {
    if (!this.#isQuiet) this.#context.stderr.write(`${text}\n`);
  }
}
