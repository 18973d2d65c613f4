import type { ShellText } from '../../text.ts';
import { type BracketEscapes, readBracket } from './read-bracket.ts';
import { type AssertionKind, type ParsedRegex, type RegexNode, RegexProblem } from './regex-node.ts';

export interface RegexSyntax {
  readonly syntax: 'basic' | 'extended';
  readonly bracketEscapes?: BracketEscapes;
  /** `\n`, `\t` and the like are those characters (sed, awk). */
  readonly hasControlEscapes?: boolean;
}

const mostCopies = 32_767;
const mostDepth = 200;

/** Reads a POSIX expression with glibc's additions. @throws RegexProblem */
export function parseRegex(pattern: ShellText, syntax: RegexSyntax): ParsedRegex {
  return new RegexParser(pattern, syntax).parse();
}

const word = '[\\p{L}\\p{N}_]';
const escapedSets: Readonly<Record<string, string>> = {
  w: word,
  W: '[^\\p{L}\\p{N}_]',
  s: '[ \\t\\n\\v\\f\\r]',
  S: '[^ \\t\\n\\v\\f\\r]',
};
const escapedAssertions: Readonly<Record<string, AssertionKind>> = {
  b: 'boundary',
  B: 'inside',
  '<': 'word-start',
  '>': 'word-end',
  '`': 'text-start',
  "'": 'text-end',
};
const controlEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
};

class RegexParser {
  readonly #characters: readonly string[];
  readonly #syntax: RegexSyntax;
  readonly #isBasic: boolean;
  #at = 0;
  #groups = 0;
  #closed: Set<number> = new Set();
  #depth = 0;

  constructor(pattern: ShellText, syntax: RegexSyntax) {
    this.#characters = [...pattern];
    this.#syntax = syntax;
    this.#isBasic = syntax.syntax === 'basic';
  }

  parse(): ParsedRegex {
    const root = this.#alternatives();
    if (this.#at < this.#characters.length) {
      throw new RegexProblem(this.#isBasic ? 'Unmatched ) or \\)' : 'Unmatched ) or \\)');
    }
    return { root, groups: this.#groups };
  }

  /** Whether an operator stands here: with a backslash before it in basic syntax. */
  #isOperator(character: string): boolean {
    if (!this.#isBasic) return this.#characters[this.#at] === character;
    return this.#characters[this.#at] === '\\' && this.#characters[this.#at + 1] === character;
  }

  #skipOperator(): void {
    this.#at += this.#isBasic ? 2 : 1;
  }

  #alternatives(): RegexNode {
    const nodes = [this.#sequence()];
    while (this.#isOperator('|')) {
      this.#skipOperator();
      nodes.push(this.#sequence());
    }
    const [only] = nodes;
    return nodes.length === 1 && only ? only : { type: 'alternatives', nodes };
  }

  #sequence(): RegexNode {
    const nodes: RegexNode[] = [];
    while (this.#at < this.#characters.length && !this.#isOperator('|')) {
      if (this.#isOperator(')') && (this.#depth > 0 || this.#isBasic)) break;
      const node = this.#single(nodes.length === 0 || nodes.every(isStart));
      const repeats = !(this.#isBasic && isStart(node));
      nodes.push(repeats ? this.#repeated(node) : node);
    }
    return { type: 'sequence', nodes };
  }

  #single(isFirst: boolean): RegexNode {
    const character = this.#characters[this.#at] ?? '';
    if (this.#isOperator('(')) return this.#group();
    switch (character) {
      case '.':
        this.#at += 1;
        return { type: 'set', source: '.' };
      case '[': {
        const { source, end } = readBracket(
          this.#characters,
          this.#at,
          this.#syntax.bracketEscapes ?? 'none',
        );
        this.#at = end;
        return { type: 'set', source };
      }
      case '^':
        if (this.#isBasic && !isFirst) break;
        this.#at += 1;
        return { type: 'assertion', kind: 'start' };
      case '$':
        if (this.#isBasic && !this.#isBeforeEnd()) break;
        this.#at += 1;
        return { type: 'assertion', kind: 'end' };
      case '\\':
        return this.#escape();
      case '+':
      case '?':
        // What is repeated is missing: glibc takes the sign for a character, or for nothing.
        break;
    }
    this.#at += 1;
    return literal(character);
  }

  /** In basic syntax a dollar is an anchor only at the end of the expression, a group or an alternative. */
  #isBeforeEnd(): boolean {
    const rest = this.#characters.slice(this.#at + 1, this.#at + 3).join('');
    return rest === '' || rest.startsWith('\\)') || rest.startsWith('\\|');
  }

  #group(): RegexNode {
    this.#skipOperator();
    this.#groups += 1;
    this.#depth += 1;
    const index = this.#groups;
    if (this.#depth > mostDepth) throw new RegexProblem('Regular expression too big');
    const body = this.#alternatives();
    if (!this.#isOperator(')')) throw new RegexProblem('Unmatched ( or \\(');
    this.#skipOperator();
    this.#depth -= 1;
    this.#closed.add(index);
    return { type: 'group', index, body };
  }

  #escape(): RegexNode {
    const next = this.#characters[this.#at + 1];
    if (next === undefined) throw new RegexProblem('Trailing backslash');
    this.#at += 2;
    if (/[1-9]/.test(next)) {
      const index = Number(next);
      if (!this.#closed.has(index)) throw new RegexProblem('Invalid back reference');
      return { type: 'back-reference', index };
    }
    if (Object.hasOwn(escapedSets, next)) return { type: 'set', source: escapedSets[next] ?? word };
    const kind = Object.hasOwn(escapedAssertions, next) ? escapedAssertions[next] : undefined;
    if (kind) return { type: 'assertion', kind };
    if (this.#syntax.hasControlEscapes) {
      if (Object.hasOwn(controlEscapes, next)) return literal(controlEscapes[next] ?? next);
    }
    if (this.#isBasic && next === '{') throw new RegexProblem('Invalid preceding regular expression');
    return literal(next);
  }

  #repeated(node: RegexNode): RegexNode {
    let repeated = node;
    for (let range = this.#quantifier(); range; range = this.#quantifier()) {
      repeated = { type: 'repeat', body: repeated, ...range };
    }
    return repeated;
  }

  #quantifier(): { least: number; most: number } | undefined {
    const unbounded = Number.POSITIVE_INFINITY;
    if (this.#characters[this.#at] === '*') {
      this.#at += 1;
      return { least: 0, most: unbounded };
    }
    if (this.#isOperator('+') || this.#isOperator('?')) {
      const isPlus = this.#isOperator('+');
      this.#skipOperator();
      return isPlus ? { least: 1, most: unbounded } : { least: 0, most: 1 };
    }
    if (!this.#isOperator('{')) return undefined;
    const start = this.#at + (this.#isBasic ? 2 : 1);
    const text = this.#characters.slice(start, start + 16).join('');
    const match = (this.#isBasic ? /^(\d*)(,?)(\d*)\\\}/ : /^(\d*)(,?)(\d*)\}/).exec(text);
    if (match === null || (match[1] === '' && match[2] === '')) {
      if (!this.#isBasic) {
        // What is no interval is text.
        return undefined;
      }
      throw new RegexProblem(/^[\d,]*$/.test(text) ? 'Unmatched \\{' : 'Invalid content of \\{\\}');
    }
    const [whole, low = '', comma, high = ''] = match;
    this.#at = start + whole.length;
    const least = Number(low);
    const most = comma === '' ? least : high === '' ? unbounded : Number(high);
    if (most < least) throw new RegexProblem('Invalid content of \\{\\}');
    if (least > mostCopies || (most !== unbounded && most > mostCopies))
      throw new RegexProblem('Regular expression too big');
    return { least, most };
  }
}

function literal(character: string): RegexNode {
  return { type: 'set', source: escapeLiteral(character), literal: character };
}

/** A character as JavaScript's expressions have it. */
export function escapeLiteral(character: string): string {
  return character.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('\n', '\\n');
}

function isStart(node: RegexNode): boolean {
  return node.type === 'assertion' && node.kind === 'start';
}
