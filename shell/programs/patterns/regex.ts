import type { ShellText } from '../../text.ts';
import { parseRegex, type RegexSyntax } from './parse-regex.ts';
import type { ParsedRegex } from './regex-node.ts';
import { hasBackReferences, mayFindShorter, type SearchCost, searchCost, sourceOf } from './regex-source.ts';
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

/** Steps that one search may take in the worst case before the other way of matching is taken. */
const mostSteps = 2e8;
/** Characters on which even an expression with exponential cost ends soon. */
const shortText = 20;

/**
 * A POSIX regular expression. It is JavaScript's where that finds the same and cannot take long; else all ways are followed
 * at once, so that no expression takes longer than its length times the text's. Back references alone are only JavaScript's.
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
    if (!this.#isCheap(text.length)) return this.#follow(text, 0) !== undefined;
    this.#expression.lastIndex = 0;
    return this.#expression.test(text);
  }

  /** The first match that starts at `from` or later. What is before `from` is seen by anchors. */
  exec(text: ShellText, from = 0): RegexMatch | undefined {
    if (this.#mayFindShorter && !this.#hasBackReferences) return this.#follow(text, from);
    if (!this.#isCheap(text.length - from)) return this.#follow(text, from);
    this.#expression.lastIndex = from;
    const match = this.#expression.exec(text);
    if (match === null) return undefined;
    return { start: match.index, end: match.index + match[0].length, groups: match.slice(1) };
  }

  #isCheap(length: number): boolean {
    if (this.#hasBackReferences) return true;
    const { degree, factor, isExponential } = this.#cost;
    if (isExponential) return length <= shortText;
    let steps = factor * (length + 1);
    for (let count = 1; count <= degree; count++) steps *= length / count;
    return steps <= mostSteps;
  }

  #follow(text: ShellText, from: number): RegexMatch | undefined {
    this.#program ??= compileProgram(this.#parsed.root, { ignoresCase: this.#options.ignoresCase ?? false });
    const slots = matchSimultaneously(this.#program, text, {
      from,
      slots: (this.groups + 1) * 2,
      isMultiline: this.#options.isMultiline ?? false,
    });
    if (slots === undefined) return undefined;
    const [start = 0, end = 0] = slots;
    const groups = Array.from({ length: this.groups }, (_, index) => {
      const [first = -1, last = -1] = slots.slice((index + 1) * 2, (index + 2) * 2);
      return first < 0 || last < 0 ? undefined : text.slice(first, last);
    });
    return { start, end, groups };
  }
}
