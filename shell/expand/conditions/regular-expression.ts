import type { ShellText } from '../../text.ts';
import { readBracketExpression } from '../patterns/bracket-expression.ts';

/** A POSIX extended regular expression, with what glibc adds to it. */
export type RegexNode =
  | { readonly type: 'character'; readonly matches: (character: string) => boolean }
  | {
      readonly type: 'assertion';
      readonly kind: 'start' | 'end' | 'word-start' | 'word-end' | 'boundary' | 'inside';
    }
  | { readonly type: 'group'; readonly index: number; readonly body: RegexNode }
  | { readonly type: 'sequence'; readonly nodes: readonly RegexNode[] }
  | { readonly type: 'alternatives'; readonly nodes: readonly RegexNode[] }
  | { readonly type: 'repeat'; readonly body: RegexNode; readonly least: number; readonly most: number }
  | { readonly type: 'back-reference'; readonly index: number };

export interface RegularExpression {
  readonly root: RegexNode;
  readonly groups: number;
  readonly hasBackReferences: boolean;
}

/** As many copies as an interval may ask for. glibc has 32767. */
const mostCopies = 1000;
const mostDepth = 100;

/** Reads an expression, in which what was quoted stands for itself; `undefined` of one that is none. */
export function parseRegularExpression(
  pieces: readonly { readonly text: ShellText; readonly isQuoted: boolean }[],
  { ignoreCase = false }: { ignoreCase?: boolean } = {},
): RegularExpression | undefined {
  try {
    return new RegexParser(pieces, ignoreCase).parse();
  } catch (error) {
    if (error instanceof MalformedExpression) return undefined;
    throw error;
  }
}

class MalformedExpression extends Error {}

class RegexParser {
  readonly #characters: readonly string[];
  readonly #quoted: readonly boolean[];
  readonly #ignoreCase: boolean;
  #at = 0;
  #groups = 0;
  #depth = 0;
  #hasBackReferences = false;

  constructor(
    pieces: readonly { readonly text: ShellText; readonly isQuoted: boolean }[],
    ignoreCase: boolean,
  ) {
    const characters = pieces.map(({ text }) => [...text]);
    this.#characters = characters.flat();
    this.#quoted = pieces.flatMap(({ isQuoted }, index) => (characters[index] ?? []).map(() => isQuoted));
    this.#ignoreCase = ignoreCase;
  }

  parse(): RegularExpression {
    const root = this.#alternatives();
    return { root, groups: this.#groups, hasBackReferences: this.#hasBackReferences };
  }

  get #isAtEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  /** Whether an unquoted character stands here. */
  #is(character: string, at: number = this.#at): boolean {
    return this.#characters[at] === character && this.#quoted[at] === false;
  }

  #alternatives(): RegexNode {
    const nodes = [this.#sequence()];
    while (this.#is('|')) {
      this.#at += 1;
      nodes.push(this.#sequence());
    }
    const [only] = nodes;
    return nodes.length === 1 && only ? only : { type: 'alternatives', nodes };
  }

  #sequence(): RegexNode {
    const nodes: RegexNode[] = [];
    while (!this.#isAtEnd && !this.#is('|') && !(this.#is(')') && this.#depth > 0)) {
      const node = this.#single();
      const isAnchor = node.type === 'assertion' && (node.kind === 'start' || node.kind === 'end');
      nodes.push(isAnchor ? node : this.#repeated(node));
    }
    return { type: 'sequence', nodes };
  }

  #repeated(node: RegexNode): RegexNode {
    let repeated = node;
    for (;;) {
      const range = this.#quantifier();
      if (!range) return repeated;
      repeated = { type: 'repeat', body: repeated, ...range };
    }
  }

  #quantifier(): { least: number; most: number } | undefined {
    if (this.#is('*') || this.#is('+') || this.#is('?')) {
      const symbol = this.#characters[this.#at];
      this.#at += 1;
      return { least: symbol === '+' ? 1 : 0, most: symbol === '?' ? 1 : Number.POSITIVE_INFINITY };
    }
    if (!this.#is('{')) return undefined;
    const text = this.#characters.slice(this.#at, this.#at + 16).join('');
    const [whole, low = '', comma, high = ''] = /^\{(\d*)(,?)(\d*)\}/.exec(text) ?? [];
    if (whole === undefined || (low === '' && high === '')) throw new MalformedExpression();
    this.#at += whole.length;
    const least = Number(low);
    const most = comma ? (high === '' ? Number.POSITIVE_INFINITY : Number(high)) : least;
    if (most < least || least > mostCopies || (most !== Number.POSITIVE_INFINITY && most > mostCopies)) {
      throw new MalformedExpression();
    }
    return { least, most };
  }

  #single(): RegexNode {
    const character = this.#characters[this.#at] ?? '';
    if (this.#quoted[this.#at]) return this.#literal(character);
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#bracket();
      case '.':
        this.#at += 1;
        return { type: 'character', matches: () => true };
      case '^':
      case '$':
        this.#at += 1;
        return { type: 'assertion', kind: character === '^' ? 'start' : 'end' };
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
      case '{':
        // Nothing stands before it that could be repeated.
        throw new MalformedExpression();
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): RegexNode {
    this.#at += 1;
    if (!this.#ignoreCase) return { type: 'character', matches: (other) => other === character };
    const lower = character.toLowerCase();
    return { type: 'character', matches: (other) => other.toLowerCase() === lower };
  }

  #group(): RegexNode {
    this.#at += 1;
    this.#groups += 1;
    const index = this.#groups;
    this.#depth += 1;
    if (this.#depth > mostDepth) throw new MalformedExpression();
    const body = this.#alternatives();
    this.#depth -= 1;
    if (!this.#is(')')) throw new MalformedExpression();
    this.#at += 1;
    return { type: 'group', index, body };
  }

  /** In brackets a backslash is a character as others are, and quotes change nothing. */
  #bracket(): RegexNode {
    let pattern = '';
    const ends: number[] = [];
    for (let at = this.#at; at < this.#characters.length; at++) {
      const character = this.#characters[at] ?? '';
      const isEscaped = character === '\\';
      const isExclamation = character === '!' && at === this.#at + 1;
      pattern += isEscaped || isExclamation ? `\\${character}` : character;
      ends.push(pattern.length);
    }
    const expression = readBracketExpression(pattern, 0);
    if (!expression?.isValid) throw new MalformedExpression();
    this.#at += ends.indexOf(expression.end) + 1;
    const { matches } = expression;
    if (!this.#ignoreCase) return { type: 'character', matches };
    return { type: 'character', matches: (one) => matches(one.toLowerCase()) || matches(one.toUpperCase()) };
  }

  #escape(): RegexNode {
    const next = this.#characters[this.#at + 1];
    if (next === undefined) throw new MalformedExpression();
    this.#at += 1;
    if (/[1-9]/.test(next) && Number(next) <= this.#groups) {
      this.#at += 1;
      this.#hasBackReferences = true;
      return { type: 'back-reference', index: Number(next) };
    }
    const node = escapes.get(next);
    if (!node) return this.#literal(next);
    this.#at += 1;
    return node;
  }
}

const isWord = (character: string): boolean => /[\p{L}\p{Nd}_]/u.test(character);
const isSpace = (character: string): boolean => /\s/.test(character);

/** What glibc adds. */
const escapes: ReadonlyMap<string, RegexNode> = new Map<string, RegexNode>([
  ['w', { type: 'character', matches: isWord }],
  ['W', { type: 'character', matches: (character) => !isWord(character) }],
  ['s', { type: 'character', matches: isSpace }],
  ['S', { type: 'character', matches: (character) => !isSpace(character) }],
  ['b', { type: 'assertion', kind: 'boundary' }],
  ['B', { type: 'assertion', kind: 'inside' }],
  ['<', { type: 'assertion', kind: 'word-start' }],
  ['>', { type: 'assertion', kind: 'word-end' }],
  ['`', { type: 'assertion', kind: 'start' }],
  ["'", { type: 'assertion', kind: 'end' }],
]);

/** Whether an assertion holds between two characters, of which each may be none. */
export function holds(
  kind: Extract<RegexNode, { type: 'assertion' }>['kind'],
  before: string | undefined,
  after: string | undefined,
): boolean {
  const isAfterWord = before !== undefined && isWord(before);
  const isBeforeWord = after !== undefined && isWord(after);
  switch (kind) {
    case 'start':
      return before === undefined;
    case 'end':
      return after === undefined;
    case 'boundary':
      return isAfterWord !== isBeforeWord;
    case 'inside':
      return isAfterWord === isBeforeWord;
    case 'word-start':
      return !isAfterWord && isBeforeWord;
    case 'word-end':
      return isAfterWord && !isBeforeWord;
  }
}
