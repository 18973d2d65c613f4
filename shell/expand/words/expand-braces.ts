import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { BraceExpansionPart, ParameterExpansionPart, WordNode, WordPart } from '../../syntax/ast.ts';

type BraceItem = BraceExpansionPart['items'][number];
type Parts = readonly WordPart[];

/** The words that a word with braces stands for, each without them, one after another. @throws ShellLimitError of too many */
export function expandBraces(word: WordNode): Iterable<Parts> {
  if (!word.parts.some(({ type }) => type === 'BraceExpansion')) return [word.parts];
  return combinations(word.parts);
}

/** Each alternative of the first braces with each of the next, as an odometer counts. */
function* combinations(parts: Parts): Generator<Parts> {
  let count = 1;
  const wheels = parts.map((part): readonly Parts[] => {
    if (part.type !== 'BraceExpansion') return [[part]];
    const alternatives = alternativesIn(part);
    count *= alternatives.length;
    checkCount(count);
    return alternatives;
  });
  for (let number = 0; number < count; number++) {
    const chosen: Parts[] = [];
    let rest = number;
    for (const wheel of wheels.toReversed()) {
      chosen.push(wheel[rest % wheel.length] ?? []);
      rest = Math.floor(rest / wheel.length);
    }
    yield withTilde(chosen.reverse().flat());
  }
}

/** `{~,/}x`: what braces put at the start of a word may be a tilde. */
function withTilde(parts: Parts): Parts {
  const joined = joinParts(parts);
  const [first, ...rest] = joined;
  if (first?.type !== 'Literal') return joined;
  const [, user, after] = /^~([\w.+-]*)(\/.*)?$/s.exec(first.value) ?? [];
  if (user === undefined || (after === undefined && rest.length > 0)) return joined;
  const tilde: WordPart = { type: 'TildeExpansion', user: user === '' ? null : user };
  return after === undefined ? [tilde, ...rest] : [tilde, { type: 'Literal', value: after }, ...rest];
}

/** Joins what braces have put side by side, as if it had been written so: `{$a,b}_c` has the variable `a_c`. */
function joinParts(parts: Parts): Parts {
  const joined: WordPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'Literal' && last?.type === 'Literal') {
      joined[joined.length - 1] = { type: 'Literal', value: last.value + part.value };
    } else joined.push(part);
  }
  return joined.flatMap((part, index) =>
    extendName(part, { next: joined[index + 1], previous: joined[index - 1] }),
  );
}

/** Letters move from a literal to the variable before it. */
function extendName(
  part: WordPart,
  { next, previous }: { next: WordPart | undefined; previous: WordPart | undefined },
): Parts {
  if (isBareName(part) && next?.type === 'Literal') {
    return [{ ...part, parameter: part.parameter + leadingLetters(next.value) }];
  }
  if (part.type !== 'Literal' || !previous || !isBareName(previous)) return [part];
  const value = part.value.slice(leadingLetters(part.value).length);
  return value === '' ? [] : [{ type: 'Literal', value }];
}

function isBareName(part: WordPart): part is ParameterExpansionPart {
  return part.type === 'ParameterExpansion' && 'isBare' in part && /^[A-Za-z_]/.test(part.parameter);
}

function leadingLetters(text: string): string {
  return /^\w*/.exec(text)?.[0] ?? '';
}

function alternativesOf(parts: Parts): readonly Parts[] {
  let prefixes: readonly Parts[] = [[]];
  for (const part of parts) {
    if (part.type !== 'BraceExpansion') {
      prefixes = prefixes.map((prefix) => [...prefix, part]);
      continue;
    }
    const items = alternativesIn(part);
    checkCount(prefixes.length * items.length);
    prefixes = prefixes.flatMap((prefix) => items.map((item) => [...prefix, ...item]));
  }
  return prefixes;
}

function alternativesIn({ items }: BraceExpansionPart): readonly Parts[] {
  const alternatives: Parts[] = [];
  for (const item of items) {
    for (const parts of itemAlternatives(item)) alternatives.push(parts);
    checkCount(alternatives.length);
  }
  return alternatives;
}

function itemAlternatives(item: BraceItem): readonly Parts[] {
  if (item.type === 'Word') return alternativesOf(item.word.parts);
  return rangeOf(item).map((value): Parts => [{ type: 'Literal', value }]);
}

function checkCount(words: number): void {
  if (words > shellLimits.words)
    throw new ShellLimitError('words', `braces make more than ${shellLimits.words} words`);
}

function rangeOf({
  start,
  end,
  step = 1,
  startStr,
  endStr,
}: Extract<BraceItem, { type: 'Range' }>): string[] {
  const isNumeric = typeof start === 'number' && typeof end === 'number';
  const from = isNumeric ? start : String(start).charCodeAt(0);
  const to = isNumeric ? end : String(end).charCodeAt(0);
  const distance = Math.max(1, Math.abs(step));
  const count = Math.floor(Math.abs(to - from) / distance) + 1;
  checkCount(count);
  const sign = to < from ? -1 : 1;
  const width = isNumeric ? paddedWidth(startStr ?? '', endStr ?? '') : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = from + sign * index * distance;
    return isNumeric ? padded(value, width) : letter(value);
  });
}

/** Between `Z` and `a` there is a backslash, which quotes nothing and so is none. */
function letter(code: number): string {
  return code === 0x5c ? '' : String.fromCharCode(code);
}

/** As wide as the wider bound, where one of them begins with a zero. */
function paddedWidth(start: string, end: string): number {
  const isPadded = [start, end].some((bound) => /^[-+]?0\d/.test(bound));
  return isPadded ? Math.max(start.length, end.length) : 0;
}

function padded(value: number, width: number): string {
  const digits = String(Math.abs(value));
  return value < 0 ? `-${digits.padStart(width - 1, '0')}` : digits.padStart(width, '0');
}

/** Braces as the text that they are where `set +B` is on. */
export function bracesAsText({ items }: BraceExpansionPart): WordPart[] {
  const parts: WordPart[] = [{ type: 'Literal', value: '{' }];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push({ type: 'Literal', value: ',' });
    if (item.type === 'Word') {
      for (const part of item.word.parts) parts.push(part);
    } else parts.push({ type: 'Literal', value: rangeText(item) });
  }
  return [...parts, { type: 'Literal', value: '}' }];
}

function rangeText({ start, end, startStr, endStr, step }: Extract<BraceItem, { type: 'Range' }>): string {
  return `${startStr ?? start}..${endStr ?? end}${step === undefined ? '' : `..${step}`}`;
}
