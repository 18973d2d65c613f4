import { toLower, toUpper } from '../../state/letter-case.ts';
import type { ParameterOperation } from '../../syntax/ast.ts';
import type { Expansion } from '../expansion.ts';
import { matchesWhole } from '../patterns/match-pattern.ts';
import { parsePattern } from '../patterns/parse-pattern.ts';
import { charactersOf } from '../patterns/pattern.ts';
import type { Steps } from '../steps.ts';
import { mapValue } from './map-value.ts';
import type { ParameterValue } from './parameter-value.ts';
import { ValueBuilder } from './value-builder.ts';

type CaseModification = Extract<ParameterOperation, { type: 'CaseModification' }>;

/** `${x^pattern}`, `${x^^}`, `${x,}` and `${x,,}`: letters that the pattern matches, of which there may be just the first. */
export function* modifyCase(
  value: ParameterValue,
  { operation, expansion }: { operation: CaseModification; expansion: Expansion },
): Steps<ParameterValue> {
  const { direction, all } = operation;
  const change = direction === 'upper' ? toUpper : toLower;
  const pattern = operation.pattern ? yield* expansion.pattern(operation.pattern) : '';
  if (all && pattern === '') return mapValue(value, change);
  const parsed = parsePattern(pattern, { extglob: expansion.scope.options.hasShopt('extglob') });
  const known = new Map<string, string>();
  const changeOne = (character: string): string => {
    let changed = known.get(character);
    if (changed === undefined) {
      const isMatch = pattern === '' || matchesWhole(parsed, charactersOf(character));
      changed = isMatch ? change(character) : character;
      known.set(character, changed);
    }
    return changed;
  };
  return mapValue(value, (text) => {
    if (all) {
      const changed = new ValueBuilder();
      for (const character of text) changed.add(changeOne(character));
      return changed.text();
    }
    const [first = ''] = text;
    return changeOne(first) + text.slice(first.length);
  });
}
