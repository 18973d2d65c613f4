import { AssignmentError } from '../../state/variables.ts';
import type { AssignmentNode } from '../../syntax/ast.ts';
import type { ShellText } from '../../text.ts';
import type { ExpansionScope } from '../expansion-scope.ts';
import { parseReference } from '../parameters/parameter-value.ts';
import type { Steps } from '../steps.ts';
import { expansionFor } from '../words/word-expansion.ts';
import { assignArray } from './assign-array.ts';

export interface AssignOptions {
  /** Makes the variable one of the function that runs. */
  readonly local?: boolean;
  /** Makes it in the innermost scope, of whatever kind: an assignment before a command. */
  readonly temporary?: boolean;
}

/** Does an assignment, of text or of an array. */
export function* assignValue(
  assignment: AssignmentNode,
  scope: ExpansionScope,
  { local = false, temporary = false }: AssignOptions,
): Steps<void> {
  const { name, subscript } = parseReference(assignment.name);
  if (assignment.array) {
    if (subscript !== undefined)
      throw new AssignmentError(`${assignment.name}: cannot assign list to array member`);
    yield* assignArray(name, { words: assignment.array, append: assignment.append, local }, scope);
    return;
  }
  const expansion = expansionFor(scope);
  const text = assignment.value ? yield* expansion.text(assignment.value) : '';
  if (local || temporary) scope.variables.declare(name, { local, temporary });
  if (subscript !== undefined) {
    yield* assignElement({ name, subscript }, { text, append: assignment.append }, scope);
  } else if (assignment.append) scope.variables.append(name, text);
  else scope.variables.set(name, text);
}

function* assignElement(
  { name, subscript }: { name: string; subscript: ShellText },
  { text, append }: { text: ShellText; append: boolean },
  scope: ExpansionScope,
): Steps<void> {
  const isWhole = subscript === '@' || subscript === '*';
  const isAssociative = scope.variables.typeOf(name) === 'associative';
  if (subscript.trim() === '' || (isWhole && !isAssociative)) {
    throw new AssignmentError(`${name}[${subscript}]: bad array subscript`);
  }
  const key = yield* expansionFor(scope).key(name, subscript);
  if (typeof key === 'number' && !Number.isSafeInteger(key)) {
    throw new AssignmentError(`${name}[${subscript}]: bad array subscript`);
  }
  scope.variables.setElement(name, key, text, { append });
}

/** `name` or `name[subscript]` from text. */
export function* assignNamed(target: ShellText, text: ShellText, scope: ExpansionScope): Steps<void> {
  const { name, subscript } = parseReference(target);
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new AssignmentError(`\`${target}': not a valid identifier`);
  if (subscript === undefined) scope.variables.set(name, text);
  else yield* assignElement({ name, subscript }, { text, append: false }, scope);
}
