import type { Shell } from '../interpret/shell.ts';
import type { Variable } from '../state/variables.ts';
import type { ShellText } from '../text.ts';
import { declarationText, valueText } from './declaration-text.ts';
import { allFunctions } from './function-listing.ts';

/** All variables and functions, as `set` and `declare` show them. */
export async function showAll(shell: Shell): Promise<void> {
  let text = '';
  for (const name of shell.variables.names()) {
    const variable = shell.variables.variable(name);
    const value = variable && valueText(variable, 'set');
    if (value !== undefined) text += `${name}=${value}\n`;
  }
  await shell.print(shell.options.has('posix') ? text : text + allFunctions(shell));
}

/** Declarations of those variables that are wanted. */
export async function showMatching(
  shell: Shell,
  wants: (name: string, variable: Variable) => boolean,
): Promise<void> {
  let text = '';
  for (const name of shell.variables.names()) {
    const variable = shell.variables.variable(name);
    if (variable && wants(name, variable)) text += `${declarationText(name, variable)}\n`;
  }
  await shell.print(text);
}

/** `declare -p name`. Answers 1 where one is missing. */
export async function showNamed(shell: Shell, command: string, names: readonly ShellText[]): Promise<number> {
  let status = 0;
  for (const name of names) {
    const variable = shell.variables.variable(name) ?? computedVariable(shell, name);
    if (variable) await shell.print(`${declarationText(name, variable)}\n`);
    else {
      await shell.tell(`${command}: ${name}: not found`);
      status = 1;
    }
  }
  return status;
}

function computedVariable(shell: Shell, name: string): Variable | undefined {
  const array = shell.scope.specialArray(name);
  if (array) return { value: { type: 'indexed', elements: new Map(array.entries()) }, attributes: new Set() };
  const text = /^[A-Za-z]\w*$/.test(name) ? shell.scope.special(name) : undefined;
  return text === undefined ? undefined : { value: { type: 'text', text }, attributes: new Set(['integer']) };
}
