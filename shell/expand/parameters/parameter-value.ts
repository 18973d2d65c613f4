import type { ShellText } from '../../text.ts';
import type { Expansion } from '../expansion.ts';
import { ExpansionError } from '../expansion-scope.ts';
import type { Steps } from '../steps.ts';

/** One text, or those of `$@` and of whole arrays. */
export type ParameterValue =
  | { readonly type: 'single'; readonly text: ShellText | undefined }
  | {
      readonly type: 'list';
      readonly elements: readonly ShellText[];
      readonly star: boolean;
      /** The array; positional parameters have none. */
      readonly array: string | undefined;
    };

interface Reference {
  readonly name: string;
  /** The subscript's source. */
  readonly subscript: ShellText | undefined;
}

/** `name` or `name[subscript]`. */
export function parseReference(parameter: string): Reference {
  const open = parameter.indexOf('[');
  if (open <= 0 || !parameter.endsWith(']')) return { name: parameter, subscript: undefined };
  return { name: parameter.slice(0, open), subscript: parameter.slice(open + 1, -1) };
}

/** What a parameter is now. */
export function* readParameterValue(parameter: string, expansion: Expansion): Steps<ParameterValue> {
  const { scope } = expansion;
  if (parameter === '@' || parameter === '*') {
    return { type: 'list', elements: scope.positional, star: parameter === '*', array: undefined };
  }
  const { name, subscript } = parseReference(parameter);
  if (subscript === undefined) return yield* readPlain(name, expansion);
  const special = scope.specialArray(name);
  if (subscript === '@' || subscript === '*') {
    const elements = special ?? scope.variables.elements(name);
    return { type: 'list', elements, star: subscript === '*', array: name };
  }
  const key = yield* expansion.key(name, subscript);
  if (special) return { type: 'single', text: special.at(Number(key)) };
  const text = scope.variables.element(name, key);
  if (text === undefined && typeof key === 'number' && key < 0) warnOfNegative(name, key, expansion);
  return { type: 'single', text };
}

function* readPlain(name: string, expansion: Expansion): Steps<ParameterValue> {
  const { scope } = expansion;
  if (/^[1-9]\d*$|^0\d+$/.test(name)) return { type: 'single', text: scope.positional[Number(name) - 1] };
  const variable = scope.variables.variable(name);
  if (variable?.attributes.has('nameref')) {
    const target = scope.variables.follow(name);
    if (target.includes('[')) return yield* readParameterValue(target, expansion);
  }
  const text = scope.special(name) ?? scope.variables.get(name) ?? scope.specialArray(name)?.[0];
  return { type: 'single', text };
}

function warnOfNegative(name: string, key: number, { scope }: Expansion): void {
  const highest = Number(scope.variables.keys(name).at(-1) ?? -1);
  if (highest + 1 + key < 0) scope.warn(`${name}: bad array subscript`);
}

/** @throws ExpansionError of what is unset, where `set -u` is on */
export function checkSet(parameter: string, value: ParameterValue, expansion: Expansion): void {
  if (value.type === 'list' || value.text !== undefined || !expansion.scope.options.has('nounset')) return;
  const shown = /^[\d!]/.test(parameter) ? `$${parameter}` : parameter;
  throw new ExpansionError(`${shown}: unbound variable`, { isFatal: true });
}

/** What joins elements in quotes: the first character of `IFS`. */
export function joiner({ scope }: Expansion): ShellText {
  const ifs = scope.variables.get('IFS');
  if (ifs === undefined) return ' ';
  const [first = ''] = ifs;
  return first;
}
