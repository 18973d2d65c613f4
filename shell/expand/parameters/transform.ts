import { attributeLetters } from '../../state/attribute-letters.ts';
import { isAssigned } from '../../state/elements.ts';
import { toLower, toUpper } from '../../state/letter-case.ts';
import type { Variable } from '../../state/variables.ts';
import { decodeAnsiC } from '../../syntax/ansi-c.ts';
import type { ShellText } from '../../text.ts';
import type { Expansion } from '../expansion.ts';
import { quote } from '../quoting/quote.ts';
import { showElements } from '../quoting/show-value.ts';
import type { Steps } from '../steps.ts';
import { expandPromptText } from './expand-prompt.ts';
import { mapValue } from './map-value.ts';
import { type ParameterValue, parseReference } from './parameter-value.ts';

type Operator = 'Q' | 'P' | 'a' | 'A' | 'E' | 'K' | 'k' | 'u' | 'U' | 'L';

interface TransformOptions {
  readonly parameter: string;
  readonly operator: Operator;
  readonly expansion: Expansion;
}

/** `${x@Q}` and its kin. */
export function* transform(value: ParameterValue, options: TransformOptions): Steps<ParameterValue> {
  const { operator, expansion } = options;
  switch (operator) {
    case 'Q':
      return mapValue(value, (text) => quote(text, 'at-q'));
    case 'E':
      return mapValue(value, decodeAnsiC);
    case 'U':
      return mapValue(value, toUpper);
    case 'L':
      return mapValue(value, toLower);
    case 'u':
      return mapValue(value, capitalize);
    case 'P':
      return yield* expandPrompts(value, expansion);
    case 'a':
      return showAttributes(value, options);
    case 'A':
      return showAssignment(value, options);
    case 'K':
      return showPairs(value, options);
    case 'k':
      return value.type === 'list'
        ? listPairs(value, options)
        : mapValue(value, (text) => quote(text, 'at-q'));
  }
}

function capitalize(text: ShellText): ShellText {
  const [first = ''] = text;
  return toUpper(first) + text.slice(first.length);
}

function* expandPrompts(value: ParameterValue, expansion: Expansion): Steps<ParameterValue> {
  if (value.type === 'single') {
    return value.text === undefined
      ? value
      : { type: 'single', text: yield* expandPromptText(value.text, expansion) };
  }
  const elements: ShellText[] = [];
  for (const element of value.elements) elements.push(yield* expandPromptText(element, expansion));
  return { ...value, elements };
}

function variableOf({ parameter, expansion }: TransformOptions): Variable | undefined {
  const { variables } = expansion.scope;
  return variables.variable(parseReference(variables.follow(parseReference(parameter).name)).name);
}

function showAttributes(value: ParameterValue, options: TransformOptions): ParameterValue {
  const variable = variableOf(options);
  if (!variable)
    return value.type === 'list' ? { ...value, elements: [] } : { type: 'single', text: undefined };
  const shown = attributeLetters(variable);
  const isDeclared =
    variable.value?.type !== 'text' && variable.value && !isAssigned(variable.value.elements);
  if (value.type === 'single' || isDeclared) return { type: 'single', text: shown };
  return { ...value, elements: value.elements.map(() => shown) };
}

function showAssignment(value: ParameterValue, options: TransformOptions): ParameterValue {
  if (value.type === 'list' && value.array === undefined) {
    const words = value.elements.map((element) => quote(element, 'at-q'));
    return { ...value, elements: ['set', '--', ...words] };
  }
  const variable = variableOf(options);
  if (!variable) return { type: 'single', text: value.type === 'single' ? value.text : undefined };
  const name = parseReference(options.parameter).name;
  const flags = attributeLetters(variable);
  const start = flags === '' ? '' : `declare -${flags} `;
  if (value.type === 'list' && variable.value && variable.value.type !== 'text') {
    if (!isAssigned(variable.value.elements)) return { ...value, elements: ['declare', `-${flags}`, name] };
    // It is three words, even in quotes.
    return { ...value, elements: ['declare', `-${flags}`, `${name}=${showElements(variable.value)}`] };
  }
  const text = value.type === 'single' ? value.text : value.elements[0];
  if (text === undefined) return { type: 'single', text: start === '' ? undefined : `${start}${name}` };
  return { type: 'single', text: `${start}${name}=${quote(text, 'at-q')}` };
}

function showPairs(value: ParameterValue, options: TransformOptions): ParameterValue {
  if (value.type === 'single') return mapValue(value, (text) => quote(text, 'at-q'));
  const { array } = value;
  if (array === undefined) return mapValue(value, (text) => quote(text, 'at-q'));
  const keys = options.expansion.scope.variables.keys(array);
  const isAssociative = options.expansion.scope.variables.typeOf(array) === 'associative';
  const pairs = keys.map((key, index) => {
    const shownKey = isAssociative ? quoteKey(key) : key;
    return `${shownKey} ${quote(value.elements[index] ?? '', 'declare')}`;
  });
  if (pairs.length === 0) return value;
  return { type: 'single', text: pairs.join(' ') + (isAssociative ? ' ' : '') };
}

function quoteKey(key: ShellText): ShellText {
  return /^[\w./:=+,%@-]+$/.test(key) ? key : quote(key, 'declare');
}

function listPairs(
  value: Extract<ParameterValue, { type: 'list' }>,
  options: TransformOptions,
): ParameterValue {
  if (value.array === undefined) return value;
  const keys = options.expansion.scope.variables.keys(value.array);
  return { ...value, elements: keys.flatMap((key, index) => [key, value.elements[index] ?? '']) };
}
