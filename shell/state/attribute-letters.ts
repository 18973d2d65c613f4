import type { Variable, VariableAttribute } from './variables.ts';

const letters: readonly (readonly [VariableAttribute, string])[] = [
  ['integer', 'i'],
  ['nameref', 'n'],
  ['readonly', 'r'],
  ['trace', 't'],
  ['export', 'x'],
  ['capital', 'c'],
  ['lower', 'l'],
  ['upper', 'u'],
];

/** Letters of a variable's type and attributes, as `declare` takes and prints them, without the dash. */
export function attributeLetters({ value, attributes }: Variable): string {
  const array = value?.type === 'indexed' ? 'a' : value?.type === 'associative' ? 'A' : '';
  return (
    array + letters.flatMap(([attribute, letter]) => (attributes.has(attribute) ? [letter] : [])).join('')
  );
}
