import { sourceOfFunction } from '../interpret/command-text.ts';
import type { Shell } from '../interpret/shell.ts';
import { type SetOption, setOptions } from '../state/options.ts';
import { parse } from '../syntax/parse.ts';
import type { ShellState, StoredFunction, StoredVariable } from './shell-state.ts';

/** Variables that each shell sets for itself. */
const ownVariables: ReadonlySet<string> = new Set([
  'BASHOPTS',
  'BASH_VERSINFO',
  'EUID',
  'PPID',
  'SHELLOPTS',
  'SHLVL',
  'UID',
]);

/** The state of a shell between two sources: no function runs. */
export function exportState(shell: Shell): ShellState {
  const { variables, options } = shell;
  return {
    cwd: shell.cwd,
    umask: shell.umask,
    variables: variables
      .names()
      .filter((name) => !ownVariables.has(name))
      .flatMap((name) => storedVariable(shell, name) ?? []),
    functions: [...shell.functions.values()].map((called) => ({
      name: called.name,
      source: sourceOfFunction(called),
      file: called.source,
      line: called.line,
      isExported: called.isExported ?? false,
      isReadonly: called.isReadonly ?? false,
    })),
    aliases: [...shell.aliases],
    options: (Object.keys(setOptions) as SetOption[]).filter((option) => options.has(option)),
    shopts: options.shoptNames().filter((name) => options.hasShopt(name)),
    positional: [...shell.positional],
    directoryStack: [...shell.directoryStack],
    lastStatus: shell.lastStatus,
  };
}

function storedVariable({ variables }: Shell, name: string): StoredVariable | undefined {
  const variable = variables.variable(name);
  if (!variable) return undefined;
  const { value } = variable;
  return {
    name,
    attributes: [...variable.attributes],
    value:
      value === undefined || value.type === 'text'
        ? value && { type: 'text', text: value.text }
        : value.type === 'indexed'
          ? { type: 'indexed', elements: [...value.elements] }
          : { type: 'associative', elements: [...value.elements] },
  };
}

/** Puts a new shell into a state that another one was in. @throws SyntaxProblem of a function that was not exported by `exportState` */
export function importState(shell: Shell, state: ShellState): void {
  shell.cwd = state.cwd;
  shell.umask = state.umask;
  const kept = new Set(state.variables.map(({ name }) => name));
  for (const name of shell.variables.names()) {
    if (!kept.has(name) && !ownVariables.has(name)) shell.variables.unset(name);
  }
  for (const variable of state.variables) restoreVariable(shell, variable);
  shell.functions = new Map();
  for (const stored of state.functions) restoreFunction(shell, stored);
  shell.aliases = new Map(state.aliases);
  for (const option of Object.keys(setOptions) as SetOption[])
    shell.options.set(option, state.options.includes(option));
  for (const name of shell.options.shoptNames()) shell.options.setShopt(name, state.shopts.includes(name));
  shell.positional = state.positional;
  shell.directoryStack = [...state.directoryStack];
  shell.lastStatus = state.lastStatus;
}

function restoreVariable({ variables }: Shell, { name, attributes, value }: StoredVariable): void {
  // Attributes that change or refuse values come after the value.
  const variable = variables.declare(name, {
    global: true,
    ...(value && value.type !== 'text' && { type: value.type }),
  });
  if (value?.type === 'text') variable.value = { type: 'text', text: value.text };
  else if (value?.type === 'indexed')
    variables.setArray(name, { type: 'indexed', elements: new Map(value.elements) });
  else if (value) variables.setArray(name, { type: 'associative', elements: new Map(value.elements) });
  for (const attribute of attributes) variable.attributes.add(attribute);
}

function restoreFunction(
  shell: Shell,
  { name, source, file, line, isExported, isReadonly }: StoredFunction,
): void {
  const node = parse(source).statements[0]?.pipelines[0]?.commands[0];
  if (node?.type !== 'FunctionDef') return;
  const { body, redirections } = node;
  shell.functions.set(name, { name, body, redirections, source: file, line, isExported, isReadonly });
}
