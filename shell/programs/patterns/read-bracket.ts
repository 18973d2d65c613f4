import type { ShellText } from '../../text.ts';
import { RegexProblem } from './regex-node.ts';

/** Which escapes mean something between brackets: none in POSIX, `\n` and the like in sed, all of them in awk. */
export type BracketEscapes = 'none' | 'sed' | 'awk';

export const classSources: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '0-9',
  alnum: '\\p{L}\\p{N}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: ' \\t\\n\\v\\f\\r',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~\\p{P}\\p{S}',
  print: '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}',
  graph: '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}',
  cntrl: '\\p{Cc}',
  xdigit: '0-9a-fA-F',
};

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
  b: '\b',
};

/** Reads what begins with `[` at `start`: the set in JavaScript's words, and where it ends. @throws RegexProblem */
export function readBracket(
  characters: readonly string[],
  start: number,
  escapes: BracketEscapes,
): { readonly source: string; readonly end: number } {
  const unmatched = 'Unmatched [, [^, [:, [., or [=';
  let at = start + 1;
  const isNegated = characters[at] === '^';
  if (isNegated) at += 1;
  const first = at;
  let source = '';
  for (;;) {
    const character = characters[at];
    if (character === undefined) throw new RegexProblem(unmatched);
    if (character === ']' && at > first) break;
    const named = namedPart(characters, at);
    if (named?.isClass) {
      if (!Object.hasOwn(classSources, named.name)) throw new RegexProblem('Invalid character class name');
      source += classSources[named.name];
      at = named.end;
      continue;
    }
    const low = named ? { text: named.name, end: named.end } : element(characters, at, escapes);
    at = low.end;
    if (characters[at] !== '-' || characters[at + 1] === ']' || characters[at + 1] === undefined) {
      source += escapeInClass(low.text);
      continue;
    }
    const namedHigh = namedPart(characters, at + 1);
    const high = namedHigh
      ? { text: namedHigh.name, end: namedHigh.end }
      : element(characters, at + 1, escapes);
    at = high.end;
    if (codeOf(high.text) < codeOf(low.text)) throw new RegexProblem('Invalid range end');
    source += `${escapeInClass(low.text)}-${escapeInClass(high.text)}`;
  }
  return { source: `[${isNegated ? '^' : ''}${source}]`, end: at + 1 };
}

/** `[:alpha:]`, `[=a=]`, `[.-.]` */
function namedPart(
  characters: readonly string[],
  at: number,
): { readonly name: ShellText; readonly isClass: boolean; readonly end: number } | undefined {
  const mark = characters[at + 1];
  if (characters[at] !== '[' || (mark !== ':' && mark !== '=' && mark !== '.')) return undefined;
  for (let end = at + 2; end + 1 < characters.length; end++) {
    if (characters[end] !== mark || characters[end + 1] !== ']') continue;
    const name = characters.slice(at + 2, end).join('');
    if (mark !== ':' && [...name].length !== 1) throw new RegexProblem('Invalid collation character');
    return { name, isClass: mark === ':', end: end + 2 };
  }
  if (mark === ':') throw new RegexProblem('Unmatched [, [^, [:, [., or [=');
  return undefined;
}

function element(
  characters: readonly string[],
  at: number,
  escapes: BracketEscapes,
): { readonly text: string; readonly end: number } {
  const character = characters[at] ?? '';
  const next = characters[at + 1];
  if (character !== '\\' || escapes === 'none' || next === undefined) return { text: character, end: at + 1 };
  if (Object.hasOwn(controls, next)) return { text: controls[next] ?? '', end: at + 2 };
  return escapes === 'awk' ? { text: next, end: at + 2 } : { text: character, end: at + 1 };
}

function codeOf(text: string): number {
  return text.codePointAt(0) ?? 0;
}

function escapeInClass(text: string): string {
  return text.replaceAll(/[\\\]^[-]/g, '\\$&').replaceAll('\n', '\\n');
}
