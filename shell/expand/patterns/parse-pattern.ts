import type { ShellText } from '../../text.ts';
import { readBracketExpression } from './bracket-expression.ts';
import type { GroupKind, Pattern, PatternNode, PatternOptions } from './pattern.ts';

const cachedPatterns = 512;
const longestCached = 1024;
const cache = new Map<string, Pattern>();

/** What a shell pattern says, in which a backslash quotes. Patterns that were parsed lately are kept. */
export function parsePattern(pattern: ShellText, options: PatternOptions = {}): Pattern {
  const key = `${options.extglob ? 'x' : ''}${options.ignoreCase ? 'i' : ''}:${pattern}`;
  const kept = cache.get(key);
  if (kept) return kept;
  const parsed = new PatternParser(pattern, options).parse();
  if (pattern.length <= longestCached) {
    const [oldest] = cache.size >= cachedPatterns ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(key, parsed);
  }
  return parsed;
}

class PatternParser {
  readonly #pattern: string;
  readonly #options: PatternOptions;
  #at = 0;
  /** Once a group, or a bracket expression, has turned out to be open, there is none after it. */
  #hasOpenGroup = false;
  #hasOpenBracket = false;

  constructor(pattern: string, options: PatternOptions) {
    this.#pattern = pattern;
    this.#options = options;
  }

  parse(): Pattern {
    return this.#sequence(0);
  }

  /** Nodes up to `|` or `)` of the group, or the end. */
  #sequence(depth: number): Pattern {
    const nodes: PatternNode[] = [];
    while (this.#at < this.#pattern.length) {
      const character = this.#pattern[this.#at] ?? '';
      if (depth > 0 && (character === '|' || character === ')')) break;
      nodes.push(this.#group(character, depth) ?? this.#single(character));
    }
    return patternOf(nodes, this.#options);
  }

  #single(character: string): PatternNode {
    const { ignoreCase } = this.#options;
    if (character === '*') {
      this.#at += 1;
      while (this.#pattern[this.#at] === '*' && this.#pattern[this.#at + 1] !== '(') this.#at += 1;
      return { type: 'star' };
    }
    if (character === '?') {
      this.#at += 1;
      return { type: 'any' };
    }
    if (character === '[' && !this.#hasOpenBracket) {
      const expression = readBracketExpression(this.#pattern, this.#at);
      this.#hasOpenBracket = !expression;
      if (expression) {
        this.#at = expression.end;
        const { matches } = expression;
        if (!ignoreCase) return { type: 'class', matches };
        return { type: 'class', matches: (one) => matches(one.toLowerCase()) || matches(one.toUpperCase()) };
      }
    }
    if (character === '\\' && this.#at + 1 < this.#pattern.length) this.#at += 1;
    const [one = ''] = this.#pattern.slice(this.#at, this.#at + 2);
    this.#at += one.length;
    if (!ignoreCase || one.toLowerCase() === one.toUpperCase()) return { type: 'character', character: one };
    return { type: 'class', matches: (other) => other.toLowerCase() === one.toLowerCase() };
  }

  #group(character: string, depth: number): PatternNode | undefined {
    const isGroup =
      this.#options.extglob && '?*+@!'.includes(character) && this.#pattern[this.#at + 1] === '(';
    if (!isGroup || depth > 64 || this.#hasOpenGroup) return undefined;
    const from = this.#at;
    this.#at += 2;
    const alternatives: Pattern[] = [];
    for (;;) {
      alternatives.push(this.#sequence(depth + 1));
      const next = this.#pattern[this.#at];
      this.#at += 1;
      if (next === ')') return { type: 'group', kind: character as GroupKind, alternatives };
      if (next === '|') continue;
      this.#at = from;
      this.#hasOpenGroup = true;
      return undefined;
    }
  }
}

function patternOf(nodes: readonly PatternNode[], { ignoreCase }: PatternOptions): Pattern {
  const isFixed = nodes.every(({ type }) => type !== 'star' && type !== 'group');
  let literal: string | undefined = ignoreCase && nodes.length > 0 ? undefined : '';
  for (const node of nodes) {
    if (literal !== undefined) literal = node.type === 'character' ? literal + node.character : undefined;
  }
  return { nodes, length: isFixed ? nodes.length : undefined, literal };
}
