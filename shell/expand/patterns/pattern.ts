import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';

/** Characters to match against: a string where each is one unit, else its characters. */
export type Characters = string | readonly string[];

export type GroupKind = '?' | '*' | '+' | '@' | '!';

export type PatternNode =
  | { readonly type: 'character'; readonly character: string }
  | { readonly type: 'any' }
  | { readonly type: 'star' }
  | { readonly type: 'class'; readonly matches: (character: string) => boolean }
  | { readonly type: 'group'; readonly kind: GroupKind; readonly alternatives: readonly Pattern[] };

/** What a shell pattern says. */
export interface Pattern {
  readonly nodes: readonly PatternNode[];
  /** How many characters it matches, where that is fixed: it has no star and no group. */
  readonly length: number | undefined;
  /** The text, where it has only characters. */
  readonly literal: ShellText | undefined;
}

export interface PatternOptions {
  readonly extglob?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/** Positions that a match, or those of one replacement, look at. */
export class MatchWork {
  #left: number = shellLimits.patternWork;

  /** @throws ShellLimitError */
  count(positions: number): void {
    this.#left -= positions;
    if (this.#left < 0) throw new ShellLimitError('patternWork', 'a pattern takes too long to match');
  }
}

export function charactersOf(text: ShellText): Characters {
  return /[\ud800-\udbff]/.test(text) ? [...text] : text;
}

export function textOf(characters: Characters, from: number, to: number): ShellText {
  return typeof characters === 'string' ? characters.slice(from, to) : characters.slice(from, to).join('');
}

export function matchesOne(node: PatternNode, character: string | undefined): boolean {
  if (character === undefined) return false;
  if (node.type === 'character') return node.character === character;
  return node.type === 'any' || (node.type === 'class' && node.matches(character));
}

/** Whether nodes of one character each match from `from` on. */
export function matchesFixed(nodes: readonly PatternNode[], text: Characters, from: number): boolean {
  return matchedLength(nodes, text, from) === nodes.length;
}

/** How many nodes of one character each match from `from` on, up to the first that does not. */
export function matchedLength(nodes: readonly PatternNode[], text: Characters, from: number): number {
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (!node || !matchesOne(node, text[from + index])) return index;
  }
  return nodes.length;
}
