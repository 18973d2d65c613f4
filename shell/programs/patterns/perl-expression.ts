import type { ShellText } from '../../text.ts';
import { classSources } from './read-bracket.ts';
import { RegexProblem } from './regex-node.ts';

const escapes: Readonly<Record<string, string>> = {
  h: '[ \\t]',
  H: '[^ \\t]',
  R: '(?:\\r\\n|[\\n\\v\\f\\r])',
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
  Z: '(?=\\n?(?![\\s\\S]))',
  a: '\\x07',
  e: '\\x1b',
};

/** Characters that `u` expressions of JavaScript let a backslash stand before. */
const known = /[dDwWsSbBnrtfvcxukpP0-9^$\\.*+?()[\]{}|/-]/;

interface JavascriptExpression {
  readonly source: string;
  /** Those that hold for all of it: some engines know none for a part. */
  readonly flags: string;
}

/** A Perl expression in JavaScript's words. @throws RegexProblem */
export function perlExpression(pattern: ShellText): JavascriptExpression {
  let source = '';
  let flags = '';
  let at = 0;
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  if (inline) {
    flags = [...new Set((inline[1] ?? '').replaceAll(/[^ims]/g, ''))].join('');
    at = inline[0].length;
  }
  while (at < pattern.length) {
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    if (character === '\\') {
      const next = pattern[at + 1] ?? '';
      if (next === 'Q') {
        const end = pattern.indexOf('\\E', at);
        const text = pattern.slice(at + 2, end < 0 ? undefined : end);
        source += text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
        at = end < 0 ? pattern.length : end + 2;
      } else if (next === 'K') {
        source = `(?<=${source})`;
        at += 2;
      } else {
        const isPlain = !known.test(next);
        source += Object.hasOwn(escapes, next) ? escapes[next] : isPlain ? next : `\\${next}`;
        at += 2;
      }
    } else if (character === '[') {
      const end = endOfClass(pattern, at);
      source += perlClass(pattern.slice(at, end));
      at = end;
    } else if (/[*+{?]/.test(character)) {
      const [quantifier = character] = /^(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?/.exec(pattern.slice(at)) ?? [];
      const isQuantifier = quantifier !== '{';
      source += isQuantifier ? quantifier.replace(/(?<=.)\+$/, '') : '\\{';
      at += quantifier.length;
    } else {
      source += character === '}' || character === ']' ? `\\${character}` : character;
      at += character.length;
    }
  }
  return { source, flags };
}

function endOfClass(pattern: ShellText, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at += 1;
  if (pattern[at] === ']') at += 1;
  for (; at < pattern.length; at++) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern.startsWith('[:', at)) at = Math.max(pattern.indexOf(':]', at) + 1, at);
    else if (pattern[at] === ']') return at + 1;
  }
  throw new RegexProblem('missing terminating ] for character class');
}

function perlClass(text: ShellText): string {
  const isNegated = text[1] === '^';
  const body = text.slice(isNegated ? 2 : 1, -1);
  const source = body.replaceAll(
    /\[:(\^?)(\w+):\]|\\([\s\S])|([[\]])/g,
    (whole, negated: string | undefined, name: string | undefined, escaped: string | undefined, bracket) => {
      if (name !== undefined) {
        if (!Object.hasOwn(classSources, name) || negated) throw new RegexProblem('unknown POSIX class name');
        return classSources[name] ?? '';
      }
      if (bracket !== undefined) return `\\${bracket}`;
      if (escaped === 'h') return ' \\t';
      return escaped !== undefined && known.test(escaped) ? whole : (escaped ?? whole);
    },
  );
  return `[${isNegated ? '^' : ''}${source}]`;
}
