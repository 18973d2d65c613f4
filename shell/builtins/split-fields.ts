import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';

/**
 * Splits a line as `read` does, at the characters of `IFS`; backslashes quote what follows them unless it is raw. With `maxFields` the
 * last one is what is left of the line. @throws ShellLimitError
 */
export function splitFields(
  text: ShellText,
  {
    separators,
    isRaw,
    maxFields = Number.POSITIVE_INFINITY,
  }: { separators: ShellText; isRaw: boolean; maxFields?: number },
): ShellText[] {
  const line = new SeparatedLine(unquoted(text, isRaw), separators);
  const { length } = line;
  const fields: ShellText[] = [];
  let at = line.afterBlanks(0);
  while (at < length) {
    if (fields.length === maxFields - 1) {
      fields.push(lastField(line, at));
      break;
    }
    const start = at;
    at = line.fieldEnd(start);
    fields.push(line.slice(start, at));
    if (fields.length > shellLimits.words) {
      throw new ShellLimitError('words', `a line has more than ${shellLimits.words} fields`);
    }
    at = line.afterBlanks(at);
    const other = line.otherLength(at);
    if (other > 0) at = line.afterBlanks(at + other);
  }
  return fields;
}

interface UnquotedText {
  readonly text: ShellText;
  /** Where a character stands that a backslash has quoted: 1. Absent where none was. */
  readonly quoted: Uint8Array | undefined;
}

function unquoted(text: ShellText, isRaw: boolean): UnquotedText {
  if (isRaw || !text.includes('\\')) return { text, quoted: undefined };
  const quoted = new Uint8Array(text.length);
  const pieces: ShellText[] = [];
  let length = 0;
  let from = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from + 1)) {
    pieces.push(text.slice(from, at));
    length += at - from;
    quoted[length] = 1;
    from = at + 1;
  }
  pieces.push(text.slice(from));
  return { text: pieces.join(''), quoted };
}

class SeparatedLine {
  readonly length: number;
  readonly #text: ShellText;
  readonly #quoted: Uint8Array | undefined;
  readonly #blanks: ReadonlySet<string>;
  readonly #others: ReadonlySet<string>;

  constructor({ text, quoted }: UnquotedText, separators: ShellText) {
    this.length = text.length;
    this.#text = text;
    this.#quoted = quoted;
    this.#blanks = new Set([...separators].filter((character) => ' \t\n'.includes(character)));
    this.#others = new Set([...separators].filter((character) => !' \t\n'.includes(character)));
  }

  slice(start: number, end: number): ShellText {
    return this.#text.slice(start, end);
  }

  isBlank(at: number): boolean {
    return this.#quoted?.[at] !== 1 && this.#blanks.has(this.#text[at] ?? '');
  }

  /** The length of the separator here that is no blank; 0 of none. */
  otherLength(at: number): number {
    if (this.#others.size === 0 || this.#quoted?.[at] === 1 || at >= this.length) return 0;
    const isPair = (this.#text.codePointAt(at) ?? 0) > 0xffff;
    const character = isPair ? this.#text.slice(at, at + 2) : (this.#text[at] ?? '');
    return this.#others.has(character) ? character.length : 0;
  }

  afterBlanks(from: number): number {
    let at = from;
    while (at < this.length && this.isBlank(at)) at += 1;
    return at;
  }

  fieldEnd(from: number): number {
    let at = from;
    while (at < this.length && !this.isBlank(at) && this.otherLength(at) === 0) at += 1;
    return at;
  }
}

/** What is left, without blanks at its end; and without one separator there where nothing else follows the first field of it. */
function lastField(line: SeparatedLine, start: number): ShellText {
  let end = line.length;
  while (end > start && line.isBlank(end - 1)) end -= 1;
  const first = Math.min(line.fieldEnd(start), end);
  const after = line.afterBlanks(first);
  const other = after < end ? line.otherLength(after) : 0;
  if (other > 0 && line.afterBlanks(after + other) >= end) end = first;
  return line.slice(start, end);
}
