import { toLower, toUpper } from '../../state/letter-case.ts';
import type { ParameterOperation } from '../../syntax/ast.ts';
import type { Expansion } from '../expansion.ts';
import { matches } from '../patterns/match-pattern.ts';
import type { Steps } from '../steps.ts';
import { mapValue } from './map-value.ts';
import type { ParameterValue } from './parameter-value.ts';

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
  const extglob = expansion.scope.options.hasShopt('extglob');
  const changeOne = (character: string): string =>
    pattern === '' || matches(pattern, character, { extglob }) ? change(character) : character;
  return mapValue(value, (text) => {
    if (all) return [...text].map(changeOne).join('');
    const [first = ''] = text;
    return changeOne(first) + text.slice(first.length);
  });
}
