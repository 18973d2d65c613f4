import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { Regex, RegexMatch } from '../patterns/regex.ts';

/** A piece of a replacement: text, or the group that stands there (0: all that matched). */
type ReplacementPiece = ShellText | number;

/** `&` is what matched, `\&` an ampersand, and `\\&` a backslash before what matched (POSIX). */
export function parseReplacement(text: ShellText): readonly ReplacementPiece[] {
  const pieces: ReplacementPiece[] = [];
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    const next = text[at + 1];
    if (character === '\\' && (next === '&' || (next === '\\' && text[at + 2] === '&'))) {
      plain += next;
      at += 1;
    } else if (character === '&') {
      pieces.push(plain, 0);
      plain = '';
    } else {
      plain += character;
    }
  }
  return [...pieces, plain];
}

/** As `gensub` has it: `\1` to `\9` are groups as well, and `\0` is `&`. */
export function parseGeneralReplacement(text: ShellText): readonly ReplacementPiece[] {
  const pieces: ReplacementPiece[] = [];
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    const next = text[at + 1] ?? '';
    const isEscape = character === '\\' && next !== '';
    if (isEscape) at += 1;
    if (isEscape && next >= '0' && next <= '9') {
      pieces.push(plain, Number(next));
      plain = '';
    } else if (isEscape) {
      plain += next === '&' || next === '\\' ? next : `\\${next}`;
    } else if (character === '&') {
      pieces.push(plain, 0);
      plain = '';
    } else {
      plain += character;
    }
  }
  return [...pieces, plain];
}

function isPair(text: ShellText, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

interface SubstitutionOptions {
  readonly regex: Regex;
  readonly replacement: readonly ReplacementPiece[];
  readonly text: ShellText;
  /** All matches, or the one of this number, from 1. */
  readonly which: 'all' | number;
}

/** Replaces matches of an expression, some at a time. */
export class Substitution {
  readonly #options: SubstitutionOptions;
  #done: ShellText = '';
  /** Up to here the text is in `#done`. */
  #copied = 0;
  #from = 0;
  #lastEnd = -1;
  #seen = 0;
  #replaced = 0;

  constructor(options: SubstitutionOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#replaced;
  }

  get result(): ShellText {
    return this.#done + this.#options.text.slice(this.#copied);
  }

  /** Goes on for so many matches. Whether all is done. @throws ShellLimitError */
  advance(matches: number): boolean {
    const { regex, text, which } = this.#options;
    for (let count = 0; count < matches; count++) {
      if (this.#from > text.length) return true;
      const match = regex.exec(text, this.#from);
      if (match === undefined) return true;
      const isEmpty = match.end === match.start;
      this.#from = isEmpty ? match.end + (isPair(text, match.end) ? 2 : 1) : match.end;
      // An empty match right after another is none.
      if (isEmpty && match.start === this.#lastEnd) continue;
      this.#lastEnd = match.end;
      this.#seen += 1;
      if (which !== 'all' && which !== this.#seen) continue;
      this.#replace(match);
      if (which !== 'all') return true;
    }
    return false;
  }

  #replace(match: RegexMatch): void {
    const { text, replacement } = this.#options;
    this.#done += text.slice(this.#copied, match.start);
    for (const piece of replacement) {
      if (typeof piece === 'string') this.#done += piece;
      else this.#done += piece === 0 ? text.slice(match.start, match.end) : (match.groups[piece - 1] ?? '');
    }
    this.#copied = match.end;
    this.#replaced += 1;
    if (this.#done.length > shellLimits.valueLength) {
      throw new ShellLimitError('valueLength', `text of more than ${shellLimits.valueLength} characters`);
    }
  }
}
