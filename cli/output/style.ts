import { styleText } from 'node:util';
import { displayWidth } from '../../shell/programs/notation/display-width.ts';
import type { CliContext } from '../context.ts';
import { cutText } from './plain-text.ts';

type Format = Parameters<typeof styleText>[0];

/** How text is shown on standard output: coloured and cut to the width where that is a terminal. */
export class Style {
  readonly isTerminal: boolean;
  /** Of a line; without an end where nobody looks. */
  readonly columns: number;
  readonly #hasColours: boolean;

  constructor({ stdout, environment }: Pick<CliContext, 'stdout' | 'environment'>) {
    this.isTerminal = stdout.isTTY === true;
    // A terminal without a size, such as that of `script`, says 0.
    this.columns = this.isTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
    this.#hasColours = this.isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
  }

  paint(format: Format, text: string): string {
    return this.#hasColours && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  }

  /** A line of pieces, coloured after it is cut to the width. */
  line(pieces: readonly (string | readonly [Format, string])[]): string {
    let left = this.columns;
    let line = '';
    for (const piece of pieces) {
      const [format, text] = typeof piece === 'string' ? [undefined, piece] : piece;
      const shown = cutText(text, left);
      left -= displayWidth(shown);
      line += format === undefined ? shown : this.paint(format, shown);
      if (left <= 0 || shown !== text) break;
    }
    return line.trimEnd();
  }
}
