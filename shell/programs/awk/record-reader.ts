import { joinBytes } from '../../../tree/join-bytes.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import type { Regex } from '../patterns/regex.ts';

/** How records end: at a character, at what an expression matches, or at empty lines (`RS=""`). */
export type RecordSeparator = ShellText | Regex | 'paragraph';

const pieceBytes = 65_536;

/** Reads records of a file, whose separator may change between them. */
export class RecordReader {
  readonly #file: OpenFile;
  readonly #signal: AbortSignal;
  /** Called before it waits for input. */
  readonly #onWait: () => Promise<void>;
  #text: ShellText = '';
  #at = 0;
  /** Up to here there is no separator. */
  #searched = 0;
  /** Bytes of a character of which the rest has not come. */
  #partial: Uint8Array = new Uint8Array(0);
  #isEnded = false;

  constructor(file: OpenFile, { signal, onWait }: { signal: AbortSignal; onWait: () => Promise<void> }) {
    this.#file = file;
    this.#signal = signal;
    this.#onWait = onWait;
  }

  /** The next record, at once where it is there already; `undefined` at the end. @throws ShellError, ShellLimitError */
  next(separator: RecordSeparator): ShellText | undefined | Promise<ShellText | undefined> {
    return this.#take(separator) ?? this.#wait(separator);
  }

  release(): void {
    this.#file.release();
  }

  async #wait(separator: RecordSeparator): Promise<ShellText | undefined> {
    for (;;) {
      if (this.#isEnded) return this.#last(separator);
      await this.#fill();
      const record = this.#take(separator);
      if (record !== undefined) return record;
    }
  }

  #take(separator: RecordSeparator): ShellText | undefined {
    if (separator === 'paragraph') return this.#takeParagraph();
    if (typeof separator !== 'string') return this.#takeByRegex(separator);
    const end = this.#text.indexOf(separator, Math.max(this.#at, this.#searched));
    if (end < 0) {
      this.#searched = this.#text.length;
      return undefined;
    }
    const record = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return record;
  }

  #takeParagraph(): ShellText | undefined {
    while (this.#text[this.#at] === '\n') this.#at += 1;
    const end = this.#text.indexOf('\n\n', Math.max(this.#at, this.#searched));
    if (end < 0) {
      this.#searched = Math.max(this.#at, this.#text.length - 1);
      return undefined;
    }
    const record = this.#text.slice(this.#at, end);
    this.#at = end + 2;
    return record;
  }

  #takeByRegex(separator: Regex): ShellText | undefined {
    for (let from = this.#at; ; ) {
      const match = separator.exec(this.#text, from);
      // What ends with what is there may go on in what comes.
      if (match === undefined || (match.end === this.#text.length && !this.#isEnded)) return undefined;
      if (match.end === match.start) {
        from = match.end + 1;
        if (from > this.#text.length) return undefined;
        continue;
      }
      const record = this.#text.slice(this.#at, match.start);
      this.#at = match.end;
      return record;
    }
  }

  #last(separator: RecordSeparator): ShellText | undefined {
    const record = this.#take(separator);
    if (record !== undefined) return record;
    if (this.#at >= this.#text.length) return undefined;
    const rest = this.#text.slice(this.#at);
    this.#at = this.#text.length;
    return separator === 'paragraph' ? rest.replace(/\n$/, '') : rest;
  }

  /** Reads a piece, or as much as is held already, so that long records are not searched again and again. */
  async #fill(): Promise<void> {
    await this.#onWait();
    const held = this.#text.length - this.#at;
    let added = '';
    do {
      const piece = await this.#file.read(pieceBytes, this.#signal);
      if (piece.length === 0) {
        this.#isEnded = true;
        added += decodeText(this.#partial);
        this.#partial = new Uint8Array(0);
        break;
      }
      const bytes =
        this.#partial.length > 0
          ? joinBytes([this.#partial, piece], this.#partial.length + piece.length)
          : piece;
      const whole = bytes.length - partialLength(bytes);
      added += decodeText(bytes.subarray(0, whole));
      this.#partial = bytes.slice(whole);
    } while (added.length < held && held > pieceBytes);
    if (held + added.length > shellLimits.valueLength) {
      throw new ShellLimitError(
        'valueLength',
        `a record has more than ${shellLimits.valueLength} characters`,
      );
    }
    this.#text = this.#text.slice(this.#at) + added;
    this.#searched = Math.max(0, this.#searched - this.#at);
    this.#at = 0;
  }
}

/** Bytes at the end that are the beginning of a character. */
function partialLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? back : 0;
  }
  return 0;
}
