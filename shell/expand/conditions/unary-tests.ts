import type { SetOption } from '../../state/options.ts';
import type { ShellText } from '../../text.ts';
import type { ExpansionScope } from '../expansion-scope.ts';
import { parseReference } from '../parameters/parameter-value.ts';
import type { Steps } from '../steps.ts';
import { expansionFor } from '../words/word-expansion.ts';
import { fileTestLetters, testFile } from './file-tests.ts';

/** Whether text is an operator of one operand: `-f`, `-z`, `-v`, … */
export function isUnaryOperator(text: ShellText): boolean {
  return text.length === 2 && text.startsWith('-') && `${fileTestLetters}noRtvz`.includes(text.charAt(1));
}

/** `-z text`, `-v name`, `-f path` and their kin. */
export function* testUnary(operator: string, operand: ShellText, scope: ExpansionScope): Steps<boolean> {
  switch (operator) {
    case '-z':
      return operand === '';
    case '-n':
      return operand !== '';
    case '-o':
      return scope.options.has(operand as SetOption);
    case '-t':
      return /^\d+$/.test(operand) && (scope.descriptor(Number(operand))?.isTerminal ?? false);
    case '-v':
      return yield* isVariableSet(operand, scope);
    case '-R': {
      const variable = scope.variables.variable(operand);
      return (variable?.attributes.has('nameref') ?? false) && variable?.value !== undefined;
    }
    default:
      return testFile(operator.slice(1), operand, scope);
  }
}

/** `-v name`, `-v name[key]`, `-v 1`. */
function* isVariableSet(target: ShellText, scope: ExpansionScope): Steps<boolean> {
  const { variables } = scope;
  if (/^\d+$/.test(target)) return target === '0' || Number(target) <= scope.positional.length;
  const { name, subscript } = parseReference(target);
  if (subscript === undefined) return (variables.get(name) ?? scope.special(name)) !== undefined;
  if ((subscript === '@' || subscript === '*') && variables.typeOf(name) !== 'associative') {
    return (scope.specialArray(name) ?? variables.elements(name)).length > 0;
  }
  const key = yield* expansionFor(scope).key(name, subscript);
  const special = scope.specialArray(name);
  if (special) return special.at(Number(key)) !== undefined;
  return variables.element(name, key) !== undefined;
}
