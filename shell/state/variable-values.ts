import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { AssociativeElements, IndexedElements, isAssigned } from './elements.ts';
import { AssignmentError, type Variable, type VariableValue } from './variables.ts';

/** The element that a key leads to; of text the first is the text. */
export function elementOf(
  variable: Variable | undefined,
  key: ShellText | number | undefined,
): ShellText | undefined {
  const value = variable?.value;
  if (value === undefined || key === undefined) return undefined;
  if (value.type === 'associative') return value.elements.get(String(key));
  if (value.type === 'indexed') return typeof key === 'number' ? value.elements.get(key) : undefined;
  return key === 0 || key === -1 ? value.text : undefined;
}

/** An array whose first element is the text that was there. */
export function indexedFrom(value: { type: 'text'; text: ShellText } | undefined): IndexedElements {
  return IndexedElements.of(value === undefined ? [] : [[0, value.text]]);
}

/** Makes an array of a variable. @throws AssignmentError of one that is an array of the other kind, or readonly */
export function convertTo(
  type: VariableValue['type'] | undefined,
  { name, variable }: { name: string; variable: Variable },
): void {
  const { value } = variable;
  if (type === undefined || type === 'text' || value?.type === type) return;
  if (variable.attributes.has('readonly')) throw new AssignmentError(`${name}: readonly variable`);
  if (value !== undefined && value.type !== 'text') {
    throw new AssignmentError(`${name}: cannot convert ${value.type} to ${type} array`);
  }
  if (type === 'indexed') {
    variable.value = { type, elements: indexedFrom(value) };
    return;
  }
  variable.value = { type, elements: AssociativeElements.of(value === undefined ? [] : [['0', value.text]]) };
}

export function copyValue(value: VariableValue | undefined): VariableValue | undefined {
  if (value === undefined) return undefined;
  if (value.type === 'text') return { ...value };
  if (value.type === 'indexed') {
    const elements = IndexedElements.of(value.elements);
    elements.isAssigned = isAssigned(value.elements);
    return { type: 'indexed', elements };
  }
  const elements = AssociativeElements.of(value.elements);
  elements.isAssigned = isAssigned(value.elements);
  return { type: 'associative', elements };
}

export function checkCount(elements: number): void {
  if (elements <= shellLimits.arrayElements) return;
  throw new ShellLimitError('arrayElements', `an array has more than ${shellLimits.arrayElements} elements`);
}

/** @throws ShellLimitError */
export function checkLength(text: { readonly length: number }): void {
  if (text.length <= shellLimits.valueLength) return;
  throw new ShellLimitError('valueLength', `a value is longer than ${shellLimits.valueLength} characters`);
}
