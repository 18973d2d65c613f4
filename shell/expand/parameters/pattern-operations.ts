import { checkLength } from '../../state/variable-values.ts';
import type { ParameterOperation, WordNode } from '../../syntax/ast.ts';
import type { ShellText } from '../../text.ts';
import type { Expansion } from '../expansion.ts';
import { findMatch, matchPrefix, matchSuffix } from '../patterns/match-pattern.ts';
import { parsePattern } from '../patterns/parse-pattern.ts';
import { charactersOf, MatchWork, type Pattern, textOf } from '../patterns/pattern.ts';
import type { Steps } from '../steps.ts';
import { mapValue } from './map-value.ts';
import type { ParameterValue } from './parameter-value.ts';
import { ValueBuilder } from './value-builder.ts';

type Removal = Extract<ParameterOperation, { type: 'PatternRemoval' }>;
type Replacement = Extract<ParameterOperation, { type: 'PatternReplacement' }>;

/** `${x#pattern}`, `${x##pattern}`, `${x%pattern}`, `${x%%pattern}`. */
export function* removePattern(
  value: ParameterValue,
  { operation, expansion }: { operation: Removal; expansion: Expansion },
): Steps<ParameterValue> {
  const pattern = yield* readPattern(operation.pattern, { expansion, ignoreCase: false });
  const { side, greedy } = operation;
  return mapValue(value, (text) => {
    const characters = charactersOf(text);
    const found = side === 'prefix' ? matchPrefix(pattern, characters, 0) : matchSuffix(pattern, characters);
    if (!found) return text;
    const at = greedy ? found.longest : found.shortest;
    return side === 'prefix' ? textOf(characters, at, characters.length) : textOf(characters, 0, at);
  });
}

function* readPattern(
  word: WordNode,
  { expansion, ignoreCase }: { expansion: Expansion; ignoreCase: boolean },
): Steps<Pattern> {
  const extglob = expansion.scope.options.hasShopt('extglob');
  return parsePattern(yield* expansion.pattern(word), { extglob, ignoreCase });
}

/** What a match is replaced by. */
type Substitute = (match: ShellText) => ShellText;

/** `${x/pattern/replacement}`, `//` of all matches, `/#` of one at the start, `/%` of one at the end. */
export function* replacePattern(
  value: ParameterValue,
  { operation, expansion }: { operation: Replacement; expansion: Expansion },
): Steps<ParameterValue> {
  const ignoreCase = expansion.scope.options.hasShopt('nocasematch');
  const pattern = yield* readPattern(operation.pattern, { expansion, ignoreCase });
  const substitute = yield* readSubstitute(operation.replacement, expansion);
  if (pattern.literal === '' && operation.anchor === null) return value;
  return mapValue(value, (text) => {
    if (!operation.anchor) return replaceMatches(text, { pattern, substitute, all: operation.all });
    const replaced = replaceAnchored(text, { pattern, substitute, anchor: operation.anchor });
    checkLength(replaced);
    return replaced;
  });
}

/** `&` that is not quoted stands for the match, where `patsub_replacement` is on. */
function* readSubstitute(word: WordNode | null, expansion: Expansion): Steps<Substitute> {
  if (!word) return () => '';
  const hasMatches = expansion.scope.options.hasShopt('patsub_replacement');
  const segments: (ShellText | undefined)[] = [''];
  for (const piece of yield* expansion.pieces(word.parts, false)) {
    if (piece.type === 'none') continue;
    if (piece.type === 'break') segments.push(piece.separator);
    else if (piece.type === 'quoted' || !hasMatches) segments.push(piece.text);
    else {
      for (const token of piece.text.match(/\\[\s\S]|&|[^\\&]+|\\/g) ?? []) {
        segments.push(token === '&' ? undefined : token.replace(/^\\([&\\])/, '$1'));
      }
    }
  }
  if (!segments.includes(undefined)) {
    const text = segments.join('');
    return () => text;
  }
  return (match) => segments.map((segment) => segment ?? match).join('');
}

function replaceAnchored(
  text: ShellText,
  { pattern, substitute, anchor }: { pattern: Pattern; substitute: Substitute; anchor: 'start' | 'end' },
): ShellText {
  const characters = charactersOf(text);
  if (anchor === 'start') {
    const end = matchPrefix(pattern, characters, 0)?.longest;
    if (end === undefined) return text;
    return substitute(textOf(characters, 0, end)) + textOf(characters, end, characters.length);
  }
  const start = matchSuffix(pattern, characters)?.longest;
  if (start === undefined) return text;
  return textOf(characters, 0, start) + substitute(textOf(characters, start, characters.length));
}

function replaceMatches(
  text: ShellText,
  { pattern, substitute, all }: { pattern: Pattern; substitute: Substitute; all: boolean },
): ShellText {
  const replaced = new ValueBuilder();
  if (pattern.literal !== undefined) {
    const { literal } = pattern;
    let from = 0;
    for (let at = text.indexOf(literal); at >= 0; at = all ? text.indexOf(literal, from) : -1) {
      replaced.add(text.slice(from, at));
      replaced.add(substitute(literal));
      from = at + literal.length;
    }
    replaced.add(text.slice(from));
    return replaced.text();
  }
  const characters = charactersOf(text);
  if (text === '') return matchPrefix(pattern, characters, 0) ? substitute('') : '';
  const work = new MatchWork();
  let from = 0;
  let at = 0;
  while (at < characters.length) {
    const match = findMatch(pattern, { text: characters, work }, at);
    if (!match || match.start >= characters.length) break;
    const { start, end } = match;
    replaced.add(textOf(characters, from, start));
    replaced.add(substitute(textOf(characters, start, end)));
    from = end;
    // After a match of nothing the next character stays.
    at = end === start ? end + 1 : end;
    if (!all) break;
  }
  replaced.add(textOf(characters, from, characters.length));
  return replaced.text();
}
