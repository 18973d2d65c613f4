/** The end of a substitution whose commands begin at `at`, and whose brackets match at `end`. */
export type SkipSubstitution = (at: number, end: number) => number;

const whereBracketsMatch: SkipSubstitution = (_, end) => end;

/**
 * The position after what begins at `at`: a quoted string, an expansion with its brackets, or one character. Past the end of the
 * source where it is not closed.
 */
export function skipOne(
  source: string,
  at: number,
  substitution: SkipSubstitution = whereBracketsMatch,
): number {
  switch (source[at]) {
    case '\\':
      return at + 2;
    case "'":
      return after(source.indexOf("'", at + 1), source);
    case '"':
      return skipUntil(source, at + 1, '"', substitution);
    case '`':
      return skipBackquotes(source, at + 1);
    case '$':
      return skipDollar(source, at, substitution);
    default:
      return at + 1;
  }
}

/** The position after the `closing` that matches an opening one before `at`; past the end where there is none. */
export function skipBrackets(
  source: string,
  at: number,
  brackets: '()' | '[]' | '{}',
  substitution: SkipSubstitution = whereBracketsMatch,
): number {
  let depth = 1;
  for (let next = at; next < source.length; ) {
    const character = source[next];
    if (character === brackets[0]) depth += 1;
    else if (character === brackets[1]) {
      depth -= 1;
      if (depth === 0) return next + 1;
    }
    next = skipOne(source, next, substitution);
  }
  return source.length + 1;
}

function skipDollar(source: string, at: number, substitution: SkipSubstitution): number {
  switch (source[at + 1]) {
    case '{':
      return skipBrackets(source, at + 2, '{}', substitution);
    case '(': {
      const end = skipBrackets(source, at + 2, '()', substitution);
      return source[at + 2] === '(' ? end : substitution(at + 2, end);
    }
    case "'": {
      for (let next = at + 2; next < source.length; next++) {
        if (source[next] === '\\') next += 1;
        else if (source[next] === "'") return next + 1;
      }
      return source.length + 1;
    }
    default:
      return at + 1;
  }
}

function skipUntil(source: string, at: number, closing: '"', substitution: SkipSubstitution): number {
  for (let next = at; next < source.length; ) {
    if (source[next] === closing) return next + 1;
    next = source[next] === "'" ? next + 1 : skipOne(source, next, substitution);
  }
  return source.length + 1;
}

function skipBackquotes(source: string, at: number): number {
  for (let next = at; next < source.length; next++) {
    if (source[next] === '\\') next += 1;
    else if (source[next] === '`') return next + 1;
  }
  return source.length + 1;
}

function after(at: number, source: string): number {
  return at === -1 ? source.length + 1 : at + 1;
}
