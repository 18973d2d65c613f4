import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { escapeLiteral } from '../patterns/parse-regex.ts';
import { perlExpression } from '../patterns/perl-expression.ts';
import { Regex } from '../patterns/regex.ts';
import { RegexProblem } from '../patterns/regex-node.ts';

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

const wordCharacter = /[\p{L}\p{N}_]/u;

/** The patterns of one call of `grep`: a line matches when one of them does. */
export class LineMatcher {
  readonly #matchers: readonly Matcher[];
  readonly #extent: MatchRules['extent'];

  /** @throws ProgramError of a pattern that is none */
  constructor(patterns: readonly ShellText[], { syntax, ignoresCase, extent }: MatchRules) {
    this.#extent = extent;
    try {
      if (syntax === 'fixed')
        this.#matchers = patterns.length === 0 ? [] : [fixedMatcher(patterns, ignoresCase)];
      else {
        this.#matchers = patterns.map((pattern) =>
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
    for (let at = from; at <= line.length; ) {
      const found = matcher.exec(line, at);
      if (!found || this.#extent === 'any') return found;
      if (this.#extent === 'line') return found.start === 0 && found.end === line.length ? found : undefined;
      const shorter = this.#asWord(matcher, line, found);
      if (shorter) return shorter;
      at = found.start + 1;
    }
    return undefined;
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
  const longestFirst = [...patterns].sort((a, b) => b.length - a.length);
  return javascriptMatcher(longestFirst.map(escapeLiteral).join('|'), ignoresCase);
}

function perlMatcher(pattern: ShellText, ignoresCase: boolean): Matcher {
  return javascriptMatcher(perlExpression(pattern), ignoresCase);
}

function javascriptMatcher(source: string, ignoresCase: boolean): Matcher {
  let expression: RegExp;
  try {
    expression = new RegExp(source, ignoresCase ? 'gui' : 'gu');
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
