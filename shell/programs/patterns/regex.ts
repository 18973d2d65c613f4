import type { ShellText } from '../../text.ts';
import { matchByBacktracking } from './backtracking-match.ts';
import { parseRegex, type RegexSyntax } from './parse-regex.ts';
import type { ParsedRegex } from './regex-node.ts';
import {
  hasBackReferences,
  isCheap,
  mayFindShorter,
  type SearchCost,
  searchCost,
  sourceOf,
} from './regex-source.ts';
import { compileProgram, matchSimultaneously, type RegexProgram } from './simultaneous-match.ts';

interface RegexOptions extends RegexSyntax {
  readonly ignoresCase?: boolean;
  /** Anchors match at newlines as well. */
  readonly isMultiline?: boolean;
}

export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** From 1: what each group matched. */
  readonly groups: readonly (ShellText | undefined)[];
}

/**
 * A POSIX regular expression. It is JavaScript's where that finds the same and cannot take long; else all ways are followed
 * at once, so that no expression takes longer than its length times the text's. Those with back references are tried one way
 * after the other, within a number of steps.
 */
export class Regex {
  readonly groups: number;
  readonly #parsed: ParsedRegex;
  readonly #options: RegexOptions;
  readonly #expression: RegExp;
  readonly #cost: SearchCost;
  readonly #mayFindShorter: boolean;
  readonly #hasBackReferences: boolean;
  #program: RegexProgram | undefined;

  /** @throws RegexProblem */
  constructor(pattern: ShellText, options: RegexOptions) {
    this.#parsed = parseRegex(pattern, options);
    this.#options = options;
    this.groups = this.#parsed.groups;
    const { root } = this.#parsed;
    const flags = `gsu${options.ignoresCase ? 'i' : ''}${options.isMultiline ? 'm' : ''}`;
    this.#expression = new RegExp(sourceOf(root), flags);
    this.#cost = searchCost(root);
    this.#mayFindShorter = mayFindShorter(root);
    this.#hasBackReferences = hasBackReferences(root);
  }

  test(text: ShellText): boolean {
    if (!isCheap(this.#cost, text.length)) return this.#follow(text, 0) !== undefined;
    this.#expression.lastIndex = 0;
    return this.#expression.test(text);
  }

  /** The first match that starts at `from` or later. What is before `from` is seen by anchors. */
  exec(text: ShellText, from = 0): RegexMatch | undefined {
    if (this.#mayFindShorter && !this.#hasBackReferences) return this.#follow(text, from);
    if (!isCheap(this.#cost, text.length - from)) return this.#follow(text, from);
    this.#expression.lastIndex = from;
    const match = this.#expression.exec(text);
    if (match === null) return undefined;
    return { start: match.index, end: match.index + match[0].length, groups: match.slice(1) };
  }

  #follow(text: ShellText, from: number): RegexMatch | undefined {
    const { ignoresCase = false, isMultiline = false } = this.#options;
    const slots = this.#hasBackReferences
      ? this.#tryWays(text, from)
      : matchSimultaneously(this.#compiled({ ignoresCase }), text, {
          from,
          slots: (this.groups + 1) * 2,
          isMultiline,
        });
    if (slots === undefined) return undefined;
    const [start = 0, end = 0] = slots;
    const groups = Array.from({ length: this.groups }, (_, index) => {
      const [first = -1, last = -1] = slots.slice((index + 1) * 2, (index + 2) * 2);
      return first < 0 || last < 0 ? undefined : text.slice(first, last);
    });
    return { start, end, groups };
  }

  #tryWays(text: ShellText, from: number): readonly number[] | undefined {
    const { ignoresCase = false, isMultiline = false } = this.#options;
    const program = this.#compiled({ ignoresCase, loopSlot: (this.groups + 1) * 2 });
    return matchByBacktracking(program, text, { from, groups: this.groups, isMultiline, ignoresCase });
  }

  #compiled(rules: Parameters<typeof compileProgram>[1]): RegexProgram {
    this.#program ??= compileProgram(this.#parsed.root, rules);
    return this.#program;
  }
}
