import type { Shell } from '../interpret/shell.ts';
import { bashVersion, bashVersionParts } from '../interpret/special-parameters.ts';
import { type SetOption, setOptions } from '../state/options.ts';
import { parse, SyntaxProblem } from '../syntax/parse.ts';
import type { ShellText } from '../text.ts';

/** Where programs are whatever `PATH` is. */
export const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The variables that a shell starts with: those of its environment, and bash's own. */
export function setInitialVariables(shell: Shell, environment: ReadonlyMap<ShellText, ShellText>): void {
  const { variables } = shell;
  for (const [name, value] of environment) {
    if (name.startsWith('BASH_FUNC_') && name.endsWith('%%'))
      importFunction(shell, name.slice(10, -2), value);
    else if (/^[A-Za-z_]\w*$/.test(name) && !notImported.has(name)) {
      variables.declare(name, { global: true, add: ['export'] });
      variables.set(name, value);
    }
  }
  const defaults: [string, ShellText][] = [
    ['PATH', defaultPath],
    ['TERM', 'dumb'],
    ['SHELL', userShell],
    ['HOSTNAME', shell.host.hostname],
    ['HOSTTYPE', 'x86_64'],
    ['MACHTYPE', 'x86_64-pc-linux-gnu'],
    ['OSTYPE', 'linux-gnu'],
  ];
  for (const [name, value] of defaults) if (variables.get(name) === undefined) variables.set(name, value);
  const own: [string, ShellText][] = [
    ['BASH', '/usr/bin/bash'],
    ['BASH_VERSION', bashVersion],
    ['IFS', ' \t\n'],
    ['PS4', environment.get('PS4') ?? '+ '],
    ['OPTIND', '1'],
    ['OPTERR', '1'],
  ];
  for (const [name, value] of own) variables.set(name, value);
  if (shell.isInteractive) {
    if (variables.get('PS1') === undefined) variables.set('PS1', '\\s-\\v\\$ ');
    variables.set('PS2', '> ');
    shell.options.set('emacs', true);
    const home = variables.get('HOME');
    if (home !== undefined && variables.get('HISTFILE') === undefined)
      variables.set('HISTFILE', `${home}/.bash_history`);
    if (variables.get('HISTSIZE') === undefined) variables.set('HISTSIZE', '500');
  }
  for (const name of (environment.get('SHELLOPTS') ?? '').split(':')) {
    if (Object.hasOwn(setOptions, name)) shell.options.set(name as SetOption, true);
  }
  for (const name of (environment.get('BASHOPTS') ?? '').split(':')) shell.options.setShopt(name, true);
  for (const name of ['BASHOPTS', 'SHELLOPTS']) {
    setReadonly(shell, name, shell.specials.get(name) ?? '');
    if (environment.has(name)) variables.declare(name, { global: true, add: ['export'] });
  }
  for (const [name, value] of [
    ['UID', shell.uid],
    ['EUID', shell.uid],
    ['PPID', shell.process.ppid],
  ] as const) {
    setReadonly(shell, name, String(value));
    variables.declare(name, { global: true, add: ['integer'] });
  }
  variables.setArray('BASH_VERSINFO', {
    type: 'indexed',
    elements: new Map(bashVersionParts.map((part, index) => [index, part])),
  });
  variables.declare('BASH_VERSINFO', { global: true, add: ['readonly'] });
  setLevel(shell);
  setDirectory(shell);
}

const userShell = '/bin/bash';
/** The shell's own, whatever the environment says. */
const notImported: ReadonlySet<string> = new Set([
  'UID',
  'EUID',
  'PPID',
  'BASHOPTS',
  'SHELLOPTS',
  'BASH_VERSINFO',
  'IFS',
  'PS4',
]);

function setReadonly({ variables }: Shell, name: string, value: ShellText): void {
  variables.set(name, value);
  variables.declare(name, { global: true, add: ['readonly'] });
}

function setLevel({ variables }: Shell): void {
  const level = Number(variables.get('SHLVL') ?? 0);
  variables.set('SHLVL', String(Number.isInteger(level) && level >= 0 && level < 999 ? level + 1 : 1));
  variables.declare('SHLVL', { global: true, add: ['export'] });
}

/** `PWD` is kept where it is another name of the working directory. */
function setDirectory(shell: Shell): void {
  const { variables, host } = shell;
  const given = variables.get('PWD');
  try {
    const real = host.files.realpath(shell.cwd);
    shell.cwd = given?.startsWith('/') && host.files.realpath(given) === real ? given : real;
  } catch {
    // One of them is not there.
  }
  variables.set('PWD', shell.cwd);
  variables.declare('PWD', { global: true, add: ['export'] });
  variables.declare('OLDPWD', { global: true, add: ['export'] });
}

/** Functions that a parent shell has exported. */
function importFunction(shell: Shell, name: string, value: ShellText): void {
  if (!value.startsWith('() {')) return;
  try {
    const { statements } = parse(`${name} ${value}`);
    const node = statements[0]?.pipelines[0]?.commands[0];
    if (statements.length !== 1 || node?.type !== 'FunctionDef') return;
    const { body, redirections } = node;
    const source = 'environment';
    shell.functions.set(name, { name, body, redirections, source, line: 0, isExported: true });
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
  }
}
