import { subscriptKey } from '../expand/expand.ts';
import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { AssignmentError } from '../state/variables.ts';
import type { ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';

/** `unset [-fvn] [names]` */
export const unset: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'fnv', usage: 'unset [-f] [-v] [-n] [name ...]' });
  if (!options) return 2;
  const { on, operands } = options;
  if (on.has('f') && on.has('v')) {
    await shell.tell('unset: cannot simultaneously unset a function and a variable');
    return 1;
  }
  let status = 0;
  for (const name of operands) {
    try {
      if (on.has('f')) unsetFunction(shell, name);
      else await unsetNamed(shell, name, { variablesOnly: on.has('v'), reference: on.has('n') });
    } catch (error) {
      if (!(error instanceof AssignmentError)) throw error;
      await shell.tell(`unset: ${error.message}`);
      status = 1;
    }
  }
  return status;
};

async function unsetNamed(
  shell: Shell,
  operand: ShellText,
  { variablesOnly, reference }: { variablesOnly: boolean; reference: boolean },
): Promise<void> {
  const [, name, subscript] = /^([A-Za-z_]\w*)(?:\[(.*)\])?$/s.exec(operand) ?? [];
  if (name === undefined) {
    if (!variablesOnly) return unsetFunction(shell, operand);
    throw new AssignmentError(`\`${operand}': not a valid identifier`);
  }
  if (subscript === '') return await shell.tell('unset: []: bad array subscript');
  if (subscript !== undefined) return await unsetElement(shell, name, subscript);
  const isVariable = shell.variables.variable(name) !== undefined || shell.specials.get(name) !== undefined;
  if (!isVariable && !variablesOnly) return unsetFunction(shell, name);
  shell.variables.unset(name, { reference });
  shell.specials.unset(name);
  if (name === 'PATH') shell.hashed.clear();
}

async function unsetElement(shell: Shell, name: string, subscript: ShellText): Promise<void> {
  const { variables } = shell;
  const value = variables.variable(name)?.value;
  if ((subscript === '@' || subscript === '*') && value?.type !== 'associative') {
    if (value?.type === 'indexed') value.elements.clear();
    else variables.unset(name);
    return;
  }
  const key = await subscriptKey(name, subscript, shell.scope);
  if (variables.variable(name) && value === undefined && key !== 0) {
    throw new AssignmentError(`${name}: not an array variable`);
  }
  variables.unsetElement(name, key);
}

function unsetFunction(shell: Shell, name: ShellText): void {
  if (shell.functions.get(name)?.isReadonly) {
    throw new AssignmentError(`${name}: cannot unset: readonly function`);
  }
  shell.functions.delete(name);
}
