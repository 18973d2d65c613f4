import type { ParameterExpansionPart, ParameterOperation } from '../../syntax/ast.ts';
import type { ShellText } from '../../text.ts';
import type { Expansion } from '../expansion.ts';
import { ExpansionError } from '../expansion-scope.ts';
import type { Piece } from '../pieces.ts';
import type { Steps } from '../steps.ts';
import { modifyCase } from './case-modification.ts';
import { expandDefault, isDefaultOperation } from './default-values.ts';
import {
  checkSet,
  joiner,
  type ParameterValue,
  parseReference,
  readParameterValue,
} from './parameter-value.ts';
import { removePattern, replacePattern } from './pattern-operations.ts';
import { takeSubstring } from './substring.ts';
import { transform } from './transform.ts';

/** Where a parameter is expanded, and to. */
export interface ParameterContext {
  readonly expansion: Expansion;
  readonly quoted: boolean;
  readonly into: Piece[];
}

type Operation = ParameterOperation | null;

/** `$name` and every kind of `${…}`. @throws ExpansionError, AssignmentError */
export function* expandParameter(part: ParameterExpansionPart, context: ParameterContext): Steps<void> {
  const { parameter, operation } = part;
  switch (operation?.type) {
    case 'Indirection':
      yield* expandIndirectly(parameter, { operation: operation.innerOp ?? null, context });
      break;
    case 'ArrayKeys':
      addNames(keysOf(operation.array, operation.star, context), { context, separator: ' ' });
      break;
    case 'VarNamePrefix':
      addNames(namesWith(operation.prefix, operation.star, context), { context, separator: '' });
      break;
    default:
      yield* expandDirectly(parameter, { operation: operation ?? null, context });
  }
}

interface Operands {
  readonly operation: Operation;
  readonly context: ParameterContext;
  readonly isIndirect?: boolean;
}

function* expandDirectly(
  parameter: string,
  { operation, context, isIndirect = false }: Operands,
): Steps<void> {
  if (operation?.type === 'BadSubstitution') throw new ExpansionError(`${operation.text}: bad substitution`);
  const value = yield* readParameterValue(parameter, context.expansion);
  if (operation && isDefaultOperation(operation)) {
    yield* expandDefault(
      { parameter, value, operation },
      { ...context, isIndirect, addValue: (own) => addValue(own, context) },
    );
    return;
  }
  checkSet(parameter, value, context.expansion);
  addValue(yield* apply(value, { parameter, operation, context }), context);
}

function* apply(
  value: ParameterValue,
  { parameter, operation, context: { expansion } }: Operands & { readonly parameter: string },
): Steps<ParameterValue> {
  switch (operation?.type) {
    case 'Length':
      return { type: 'single', text: String(lengthOf(value)) };
    case 'Substring':
      return yield* takeSubstring(value, { operation, expansion });
    case 'PatternRemoval':
      return yield* removePattern(value, { operation, expansion });
    case 'PatternReplacement':
      return yield* replacePattern(value, { operation, expansion });
    case 'CaseModification':
      return yield* modifyCase(value, { operation, expansion });
    case 'Transform':
      return yield* transform(value, { parameter, operator: operation.operator, expansion });
    default:
      return value;
  }
}

function lengthOf(value: ParameterValue): number {
  if (value.type === 'list') return value.elements.length;
  const text = value.text ?? '';
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** `${!name}`: the parameter whose name the value is. Of a reference it is the name that it refers to. */
function* expandIndirectly(parameter: string, { operation, context }: Operands): Steps<void> {
  const { expansion } = context;
  const { variables } = expansion.scope;
  if (operation === null && variables.variable(parameter)?.attributes.has('nameref')) {
    addValue({ type: 'single', text: variables.follow(parameter) }, context);
    return;
  }
  const value = yield* readParameterValue(parameter, expansion);
  const target = value.type === 'single' ? value.text : value.elements.join(' ');
  if (target === undefined && variables.variable(parseReference(parameter).name)) {
    addValue({ type: 'single', text: undefined }, context);
    return;
  }
  if (target === undefined) {
    checkSet(parameter, value, expansion);
    throw new ExpansionError(`${parameter}: invalid indirect expansion`);
  }
  if (!/^([A-Za-z_]\w*(\[.+\])?|\d+|[@*#?$!-])$/s.test(target)) {
    throw new ExpansionError(`${target}: invalid variable name`);
  }
  yield* expandDirectly(target, { operation, context, isIndirect: true });
}

function keysOf(array: string, star: boolean, { expansion: { scope } }: ParameterContext): ParameterValue {
  const special = scope.specialArray(array);
  const elements = special ? special.map((_, index) => String(index)) : scope.variables.keys(array);
  return { type: 'list', elements, star, array: undefined };
}

function namesWith(
  prefix: string,
  star: boolean,
  { expansion: { scope } }: ParameterContext,
): ParameterValue {
  const { variables } = scope;
  const elements = variables
    .names()
    .filter((name) => name.startsWith(prefix) && variables.variable(name)?.value);
  return { type: 'list', elements, star, array: undefined };
}

/** Without quotes and separators bash makes one word of `${!a[*]}` and `${!prefix*}`. */
function addNames(
  value: ParameterValue,
  { context, separator }: { context: ParameterContext; separator: ShellText },
): void {
  const isOneWord =
    value.type === 'list' && value.star && !context.quoted && joiner(context.expansion) === '';
  addValue(isOneWord ? { type: 'single', text: value.elements.join(separator) } : value, context);
}

function addValue(value: ParameterValue, { expansion, quoted, into }: ParameterContext): void {
  const type = quoted ? 'quoted' : 'expanded';
  if (value.type === 'single') {
    into.push({ type, text: value.text ?? '' });
    return;
  }
  const { elements, star } = value;
  if (quoted && star) {
    into.push({ type, text: elements.join(joiner(expansion)) });
    return;
  }
  if (elements.length === 0 && quoted) into.push({ type: 'none' });
  addElements(elements, { type, separator: star ? joiner(expansion) : ' ', into });
}

function addElements(
  elements: readonly ShellText[],
  { type, separator, into }: { type: 'quoted' | 'expanded'; separator: ShellText; into: Piece[] },
): void {
  for (const [index, text] of elements.entries()) {
    if (index > 0) into.push({ type: 'break', separator, isQuoted: type === 'quoted' });
    into.push({ type, text });
  }
}
