import { collatingSymbols } from './collating-symbols.ts';

const characterClasses: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[\p{L}\p{Nd}]/u],
  ['alpha', /\p{L}/u],
  ['ascii', /[\0-\x7f]/],
  ['blank', /[ \t]/],
  ['cntrl', /\p{Cc}/u],
  ['digit', /[0-9]/],
  ['graph', /[^\p{Z}\p{C}]/u],
  ['lower', /\p{Ll}/u],
  ['print', /[^\p{C}\u2028\u2029]/u],
  ['punct', /[!-/:-@[-`{-~]|\p{P}|[\p{S}]/u],
  ['space', /[ \t-\r]|\p{Z}/u],
  ['upper', /\p{Lu}/u],
  ['word', /[\p{L}\p{Nd}_]/u],
  ['xdigit', /[0-9A-Fa-f]/],
]);

const noCharacter = 'none';

type Test = (character: string) => boolean;

/** A bracket expression and where it ends. */
interface BracketExpression {
  readonly matches: Test;
  readonly end: number;
  /** False where a range is reversed or a class unknown: in a pattern it matches nothing. */
  readonly isValid: boolean;
}

/** Reads `[…]` at `at`, in which a backslash quotes; `undefined` where it is not closed: then `[` stands for itself. */
export function readBracketExpression(pattern: string, at: number): BracketExpression | undefined {
  const reader = new BracketReader(pattern, at + 1);
  return reader.read();
}

class BracketReader {
  readonly #pattern: string;
  #at: number;
  readonly #single: Set<string> = new Set();
  readonly #tests: Test[] = [];
  #isValid = true;

  constructor(pattern: string, at: number) {
    this.#pattern = pattern;
    this.#at = at;
  }

  read(): BracketExpression | undefined {
    const isNegated = this.#pattern[this.#at] === '!' || this.#pattern[this.#at] === '^';
    if (isNegated) this.#at += 1;
    const first = this.#at;
    for (;;) {
      if (this.#at >= this.#pattern.length) return undefined;
      if (this.#pattern[this.#at] === ']' && this.#at > first) break;
      if (!this.#readOne()) return undefined;
    }
    const single = this.#single;
    const tests = this.#tests;
    const isIn: Test = (character) => single.has(character) || tests.some((test) => test(character));
    const matches: Test = isNegated ? (character) => !isIn(character) : isIn;
    return { matches, end: this.#at + 1, isValid: this.#isValid };
  }

  #readOne(): boolean {
    const named = this.#readNamed();
    if (named === 'class') return true;
    const start = named ?? this.#readCharacter();
    if (start === undefined) return false;
    const isRange = this.#pattern[this.#at] === '-' && this.#pattern[this.#at + 1] !== ']';
    if (!isRange || this.#at + 1 >= this.#pattern.length) {
      this.#single.add(start);
      return true;
    }
    this.#at += 1;
    const namedEnd = this.#readNamed();
    const end = namedEnd === 'class' ? undefined : (namedEnd ?? this.#readCharacter());
    if (end === undefined) return false;
    if (start === noCharacter || end === noCharacter) return true;
    const [low, high] = [codePoint(start), codePoint(end)];
    if (low > high) this.#isValid = false;
    this.#tests.push((character) => codePoint(character) >= low && codePoint(character) <= high);
    return true;
  }

  #readCharacter(): string | undefined {
    if (this.#pattern[this.#at] === '\\') this.#at += 1;
    const [character] = this.#pattern.slice(this.#at, this.#at + 2);
    this.#at += character?.length ?? 0;
    return character;
  }

  /** `[:class:]`, `[=x=]` and `[.x.]`. */
  #readNamed(): string | 'class' | undefined {
    const kind = this.#pattern[this.#at + 1];
    if (this.#pattern[this.#at] !== '[' || kind === undefined || !':=.'.includes(kind)) return undefined;
    const end = this.#pattern.indexOf(`${kind}]`, this.#at + 2);
    if (end === -1) return undefined;
    const name = this.#pattern.slice(this.#at + 2, end).replaceAll('\\', '');
    if (kind === ':') {
      if (!/^\w*$/.test(name)) return undefined;
      const expression = characterClasses.get(name);
      if (!expression) this.#isValid = false;
      this.#tests.push((character) => expression?.test(character) ?? false);
    }
    this.#at = end + 2;
    if (kind === ':') return 'class';
    if ([...name].length === 1) return name;
    const symbol = kind === '.' ? collatingSymbols.get(name) : undefined;
    // A name of no character matches none.
    return symbol ?? noCharacter;
  }
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
