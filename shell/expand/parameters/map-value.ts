import type { ShellText } from '../../text.ts';
import type { ParameterValue } from './parameter-value.ts';

/** Changes the text, or each element. What is unset stays so. */
export function mapValue(value: ParameterValue, change: (text: ShellText) => ShellText): ParameterValue {
  if (value.type === 'list') return { ...value, elements: value.elements.map(change) };
  return value.text === undefined ? value : { type: 'single', text: change(value.text) };
}
