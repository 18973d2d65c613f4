import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { escapePattern } from '../patterns/escape-pattern.ts';
import type { Piece } from '../pieces.ts';

/** One word that pieces were divided into. */
export interface Field {
  text: ShellText;
  pattern: ShellText;
  /** Whether there may be a pattern in it. */
  isPattern: boolean;
}

const defaultSeparators = ' \t\n';
const patternCharacters = /[*?[]|[+@!]\(/;

/** Divides pieces into words at the characters of `IFS` (POSIX 2.6.5), of which blanks count once and at the ends not at all. */
export function splitFields(pieces: readonly Piece[], ifs: ShellText | undefined): Field[] {
  const splitter = new FieldSplitter(ifs ?? defaultSeparators);
  for (const piece of pieces) splitter.add(piece);
  return splitter.end();
}

class FieldSplitter {
  readonly #first: string;
  readonly #blanks: string;
  readonly #others: string;
  readonly #fields: Field[] = [];
  #current: Field | undefined;
  /** After a word that a blank ended: another separator belongs to the same end. */
  #isAfterBlank = false;

  constructor(ifs: ShellText) {
    const characters = [...ifs];
    this.#first = characters[0] ?? '';
    this.#blanks = characters.filter((character) => ' \t\n'.includes(character)).join('');
    this.#others = characters.filter((character) => !' \t\n'.includes(character)).join('');
  }

  add(piece: Piece): void {
    switch (piece.type) {
      case 'quoted':
        this.#append(piece.text, { isQuoted: true });
        break;
      case 'literal':
        this.#append(piece.text, { isQuoted: false });
        break;
      case 'expanded':
        this.#split(piece.text);
        break;
      case 'break':
        this.#break(piece.isQuoted);
        break;
      case 'none':
        break;
    }
  }

  /** Without quotes elements are divided as if the first separator stood between them. */
  #break(isQuoted: boolean): void {
    if (!isQuoted && this.#first !== '') {
      this.#separate(this.#blanks.includes(this.#first));
      return;
    }
    this.#finish();
    this.#isAfterBlank = false;
  }

  end(): Field[] {
    this.#finish();
    return this.#fields;
  }

  #append(text: ShellText, { isQuoted }: { isQuoted: boolean }): void {
    this.#current ??= { text: '', pattern: '', isPattern: false };
    this.#current.text += text;
    this.#current.pattern += isQuoted ? escapePattern(text) : text;
    if (!isQuoted && patternCharacters.test(text)) this.#current.isPattern = true;
  }

  #finish(): void {
    if (this.#current) this.#add(this.#current);
    this.#current = undefined;
  }

  #add(field: Field): void {
    this.#fields.push(field);
    if (this.#fields.length > shellLimits.words) {
      throw new ShellLimitError('words', `an expansion makes more than ${shellLimits.words} words`);
    }
  }

  #split(text: ShellText): void {
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const length = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      const character = length === 1 ? (text[at] ?? '') : text.slice(at, at + 2);
      const isBlank = this.#blanks.includes(character);
      if (isBlank || this.#others.includes(character)) {
        if (at > from) this.#append(text.slice(from, at), { isQuoted: false });
        this.#separate(isBlank);
        from = at + length;
      }
      at += length;
    }
    if (from < text.length) this.#append(text.slice(from), { isQuoted: false });
  }

  #separate(isBlank: boolean): void {
    if (this.#current) {
      this.#finish();
      this.#isAfterBlank = isBlank;
    } else if (!isBlank) {
      if (!this.#isAfterBlank) this.#add({ text: '', pattern: '', isPattern: false });
      this.#isAfterBlank = false;
    }
  }
}
