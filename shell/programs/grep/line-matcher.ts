import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { matchByBacktracking } from '../patterns/backtracking-match.ts';
import { parseJavascript } from '../patterns/parse-javascript.ts';
import { escapeLiteral } from '../patterns/parse-regex.ts';
import { perlExpression } from '../patterns/perl-expression.ts';
import { Regex } from '../patterns/regex.ts';
import { RegexProblem } from '../patterns/regex-node.ts';
import { isCheap, searchCost } from '../patterns/regex-source.ts';
import { compileProgram, type RegexProgram } from '../patterns/simultaneous-match.ts';

export interface MatchRules {
  readonly syntax: 'basic' | 'extended' | 'fixed' | 'perl';
  readonly ignoresCase: boolean;
  /** What stands on both sides of a match. */
  readonly extent: 'any' | 'word' | 'line';
}

interface Matcher {
  test(text: ShellText): boolean;
  exec(text: ShellText, from: number): { readonly start: number; readonly end: number } | undefined;
}

/** Expressions of one call: each is made ready before the search. */
const mostExpressions = 50_000;
/** Characters that the search for one whole word may look at. */
const mostCharacters = 5e7;

const wordCharacter = /[\p{L}\p{N}_]/u;

/** The patterns of one call of `grep`: a line matches when one of them does. */
export class LineMatcher {
  readonly #matchers: readonly Matcher[];
  readonly #extent: MatchRules['extent'];
  #searched = 0;

  /** @throws ProgramError of a pattern that is none */
  constructor(patterns: readonly ShellText[], { syntax, ignoresCase, extent }: MatchRules) {
    this.#extent = extent;
    try {
      const distinct = [...new Set(patterns)];
      const arePlain = distinct.length > 1 && distinct.every((pattern) => /^[\w\s/:;,-]*$/.test(pattern));
      if (syntax === 'fixed' || (syntax !== 'perl' && arePlain))
        this.#matchers = distinct.length === 0 ? [] : [fixedMatcher(distinct, ignoresCase)];
      else {
        if (distinct.length > mostExpressions) throw new ShellLimitError('pattern', 'too many expressions');
        this.#matchers = distinct.map((pattern) =>
          syntax === 'perl' ? perlMatcher(pattern, ignoresCase) : new Regex(pattern, { syntax, ignoresCase }),
        );
      }
    } catch (error) {
      if (!(error instanceof RegexProblem)) throw error;
      throw new ProgramError(error.message, { status: 2 });
    }
  }

  test(line: ShellText): boolean {
    if (this.#extent === 'any') return this.#matchers.some((matcher) => matcher.test(line));
    return this.find(line, 0) !== undefined;
  }

  /** The leftmost match from a place on, and the longest of those. */
  find(line: ShellText, from: number): { readonly start: number; readonly end: number } | undefined {
    let best: { start: number; end: number } | undefined;
    for (const matcher of this.#matchers) {
      const found = this.#findBy(matcher, line, from);
      if (!found) continue;
      const isBetter =
        !best || found.start < best.start || (found.start === best.start && found.end > best.end);
      if (isBetter) best = found;
    }
    return best;
  }

  #findBy(matcher: Matcher, line: ShellText, from: number): { start: number; end: number } | undefined {
    this.#searched = 0;
    for (let at = from; at <= line.length; ) {
      if (this.#extent !== 'any') this.#count(line.length - at);
      const found = matcher.exec(line, at);
      if (!found || this.#extent === 'any') return found;
      if (this.#extent === 'line') return found.start === 0 && found.end === line.length ? found : undefined;
      const shorter = this.#asWord(matcher, line, found);
      if (shorter) return shorter;
      at = found.start + 1;
    }
    return undefined;
  }

  #count(characters: number): void {
    this.#searched += characters;
    if (this.#searched > mostCharacters)
      throw new ShellLimitError('pattern', 'a regular expression takes too long to match');
  }

  /** The match, or one that begins where it does and is shorter, if it is a whole word. */
  #asWord(
    matcher: Matcher,
    line: ShellText,
    found: { start: number; end: number },
  ): { start: number; end: number } | undefined {
    if (found.start > 0 && wordCharacter.test(line[found.start - 1] ?? '')) return undefined;
    for (let match = found; ; ) {
      if (!wordCharacter.test(line[match.end] ?? '')) return match;
      if (match.end === match.start) return undefined;
      this.#count(match.end - match.start);
      const shorter = matcher.exec(line.slice(0, match.end - 1), match.start);
      if (shorter?.start !== found.start) return undefined;
      match = shorter;
    }
  }
}

function fixedMatcher(patterns: readonly ShellText[], ignoresCase: boolean): Matcher {
  const [only] = patterns;
  if (patterns.length === 1 && only !== undefined && !ignoresCase) {
    return {
      test: (text) => text.includes(only),
      exec: (text, from) => {
        const start = text.indexOf(only, from);
        return start < 0 ? undefined : { start, end: start + only.length };
      },
    };
  }
  if (patterns.length > 100) return wordListMatcher(patterns, ignoresCase);
  const longestFirst = [...patterns].sort((a, b) => b.length - a.length);
  return javascriptMatcher(longestFirst.map(escapeLiteral).join('|'), ignoresCase ? 'i' : '');
}

/** Looks up what stands at each place, by the lengths of the patterns. */
function wordListMatcher(patterns: readonly ShellText[], ignoresCase: boolean): Matcher {
  const fold = (text: ShellText) => (ignoresCase ? foldCase(text) : text);
  const byLength = new Map<number, Set<ShellText>>();
  for (const pattern of patterns) {
    const known = byLength.get(pattern.length) ?? new Set();
    byLength.set(pattern.length, known.add(fold(pattern)));
  }
  const longestFirst = [...byLength].sort(([one], [other]) => other - one);
  const exec = (text: ShellText, from: number) => {
    const folded = fold(text);
    let looked = 0;
    for (let start = from; start <= text.length; start++) {
      for (const [length, words] of longestFirst) {
        if (start + length > text.length) continue;
        looked += 1 + (length >> 4);
        if (words.has(folded.slice(start, start + length))) return { start, end: start + length };
      }
      if (looked > mostCharacters)
        throw new ShellLimitError('pattern', 'the patterns take too long to look for');
    }
    return undefined;
  };
  return { test: (text) => exec(text, 0) !== undefined, exec };
}

/** Lower case, where it is as long as the text. */
function foldCase(text: ShellText): ShellText {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  return text.replaceAll(/./gsu, (character) => {
    const lower = character.toLowerCase();
    return lower.length === character.length ? lower : character;
  });
}

/** JavaScript's expression where it cannot take long, else the same within a number of steps. */
function perlMatcher(pattern: ShellText, ignoresCase: boolean): Matcher {
  const { source, flags } = perlExpression(pattern);
  const foldsCase = ignoresCase || flags.includes('i');
  const matcher = javascriptMatcher(source, `${flags.replace('i', '')}${foldsCase ? 'i' : ''}`);
  const { root, groups, looksAround } = parseJavascript(source);
  const cost = searchCost(root);
  let program: RegexProgram | undefined;
  const exec: Matcher['exec'] = (text, from) => {
    if (isCheap(cost, text.length - from) || (looksAround && !cost.isExponential))
      return matcher.exec(text, from);
    if (looksAround) throw new ShellLimitError('pattern', 'a regular expression takes too long to match');
    program ??= compileProgram(root, { ignoresCase: foldsCase, loopSlot: (groups + 1) * 2 });
    const place = { from, groups, isMultiline: false, ignoresCase: foldsCase };
    const [start = 0, end = 0] = matchByBacktracking(program, text, place) ?? [-1];
    return start < 0 ? undefined : { start, end };
  };
  return { test: (text) => exec(text, 0) !== undefined, exec };
}

function javascriptMatcher(source: string, flags: string): Matcher {
  let expression: RegExp;
  try {
    expression = new RegExp(source, `gu${flags}`);
  } catch {
    throw new RegexProblem('this Perl expression is not supported');
  }
  return {
    test: (text) => {
      expression.lastIndex = 0;
      return expression.test(text);
    },
    exec: (text, from) => {
      expression.lastIndex = from;
      const match = expression.exec(text);
      return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
    },
  };
}
