import type { ParameterOperation } from '../../syntax/ast.ts';
import type { ShellText } from '../../text.ts';
import type { Expansion } from '../expansion.ts';
import { ExpansionError } from '../expansion-scope.ts';
import { charactersOf, textOf } from '../patterns/pattern.ts';
import type { Steps } from '../steps.ts';
import type { ParameterValue } from './parameter-value.ts';

type Substring = Extract<ParameterOperation, { type: 'Substring' }>;
type List = Extract<ParameterValue, { type: 'list' }>;

/** `${x:offset:length}`, of a text's characters or of a list's elements. Offsets below 0 count from the end. */
export function* takeSubstring(
  value: ParameterValue,
  { operation, expansion }: { operation: Substring; expansion: Expansion },
): Steps<ParameterValue> {
  const offset = Number(yield* expansion.evaluate(operation.offset.originalText ?? ''));
  const lengthText = operation.length?.originalText ?? (operation.length ? '0' : undefined);
  const length = lengthText === undefined ? undefined : Number(yield* expansion.evaluate(lengthText));
  if (value.type === 'single') {
    return { type: 'single', text: sliceText(value.text ?? '', { offset, length, lengthText }) };
  }
  const elements = elementsFrom(value, offset, expansion);
  if (length !== undefined && length < 0) throw new ExpansionError(`${lengthText}: substring expression < 0`);
  return { ...value, elements: elements.slice(0, length) };
}

function sliceText(
  text: ShellText,
  {
    offset,
    length,
    lengthText,
  }: { offset: number; length: number | undefined; lengthText: string | undefined },
): ShellText {
  const characters = charactersOf(text);
  const start = offset < 0 ? characters.length + offset : offset;
  if (start < 0 || start > characters.length) return '';
  if (length === undefined) return textOf(characters, start, characters.length);
  const end = length < 0 ? characters.length + length : Math.min(start + length, characters.length);
  if (end < start) throw new ExpansionError(`${lengthText}: substring expression < 0`);
  return textOf(characters, start, end);
}

function elementsFrom(list: List, offset: number, { scope }: Expansion): readonly ShellText[] {
  if (list.array === undefined) {
    const all = [scope.special('0') ?? '', ...list.elements];
    return sliceFrom(offset === 0 || offset < 0 ? all : list.elements, offset > 0 ? offset - 1 : offset);
  }
  const { variables } = scope;
  if (variables.typeOf(list.array) === 'associative') {
    return sliceFrom(list.elements, offset > 0 ? offset - 1 : offset);
  }
  if (variables.typeOf(list.array) !== 'indexed') return sliceFrom(list.elements, offset);
  // An offset is an index: there may be gaps.
  const keys = variables.keys(list.array).map(Number);
  const first = offset < 0 ? (keys.at(-1) ?? -1) + 1 + offset : offset;
  if (first < 0) return [];
  const from = keys.findIndex((key) => key >= first);
  return from === -1 ? [] : list.elements.slice(from);
}

function sliceFrom(elements: readonly ShellText[], offset: number): readonly ShellText[] {
  return offset < -elements.length ? [] : elements.slice(offset);
}
