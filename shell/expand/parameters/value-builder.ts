import { checkLength } from '../../state/variable-values.ts';
import type { ShellText } from '../../text.ts';

const mostPieces = 8192;

/** A value that is made of many small pieces, which are joined from time to time: a string of so many parts takes much memory. */
export class ValueBuilder {
  readonly #joined: ShellText[] = [];
  #pieces: ShellText[] = [];
  #length = 0;

  /** @throws ShellLimitError of more than a value may have */
  add(piece: ShellText): void {
    if (piece === '') return;
    this.#length += piece.length;
    checkLength({ length: this.#length });
    this.#pieces.push(piece);
    if (this.#pieces.length >= mostPieces) this.#join();
  }

  text(): ShellText {
    this.#join();
    return this.#joined.join('');
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }
}
