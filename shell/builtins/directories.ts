import { isDirectory } from '../../tree/live/file-mode.ts';
import { absolutePath } from '../files/tree-files.ts';
import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { ShellError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';

/** `cd [-L|-P] [directory]` */
export const cd: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'LPe@', usage: 'cd [-L|[-P [-e]] [-@]] [dir]' });
  if (!options) return 2;
  const { operands } = options;
  if (operands.length > 1) {
    await shell.tell('cd: too many arguments');
    return 1;
  }
  const target = await targetOf(shell, operands[0]);
  if (target === undefined) return 1;
  const isPhysical = isPhysicalOf(shell, options.on, call.args);
  for (const { path, shows } of candidates(shell, target.path)) {
    const problem = enter(shell, path, isPhysical);
    if (problem === undefined) {
      if (shows || target.shows) await shell.print(`${shell.cwd}\n`);
      return 0;
    }
    if (path === candidates(shell, target.path).at(-1)?.path) {
      await shell.tell(`cd: ${target.path}: ${problem}`);
    }
  }
  return 1;
};

async function targetOf(
  shell: Shell,
  operand: ShellText | undefined,
): Promise<{ path: ShellText; shows: boolean } | undefined> {
  if (operand === undefined) {
    const home = shell.variables.get('HOME');
    if (home === undefined) await shell.tell('cd: HOME not set');
    return home === undefined ? undefined : { path: home, shows: false };
  }
  if (operand !== '-') return { path: operand, shows: false };
  const old = shell.variables.get('OLDPWD');
  if (old === undefined) await shell.tell('cd: OLDPWD not set');
  return old === undefined ? undefined : { path: old, shows: true };
}

/** Of `-L` and `-P` the last one counts. */
function isPhysicalOf(shell: Shell, on: ReadonlySet<string>, args: readonly ShellText[]): boolean {
  if (!on.has('L') && !on.has('P')) return shell.options.has('physical');
  const letters = args.filter((arg) => /^-[LPe@]+$/.test(arg)).join('');
  return letters.lastIndexOf('P') > letters.lastIndexOf('L');
}

/** Directories of `CDPATH` first, for what is a plain name. */
function candidates(shell: Shell, target: ShellText): { path: ShellText; shows: boolean }[] {
  const cdPath = shell.variables.get('CDPATH');
  if (!cdPath || /^\.{0,2}(\/|$)/.test(target)) return [{ path: target, shows: false }];
  const found = cdPath.split(':').map((directory) => {
    return directory === '' || directory === '.'
      ? { path: target, shows: false }
      : { path: `${directory.replace(/\/$/, '')}/${target}`, shows: true };
  });
  return [...found, { path: target, shows: false }];
}

/** Changes the directory. Answers what is wrong. */
function enter(shell: Shell, target: ShellText, isPhysical: boolean): string | undefined {
  const { files } = shell.host;
  if (target === '') return undefined;
  const absolute = absolutePath(shell.cwd, target);
  const logical = isPhysical ? absolute : withoutParents(target.startsWith('/') ? target : absolute);
  try {
    if (!isDirectory(files.stat(absolute).mode)) return 'Not a directory';
    const path = isPhysical ? files.realpath(absolute) : withoutEndingSlash(logical);
    if (!isDirectory(files.stat(path).mode)) return 'Not a directory';
    changeTo(shell, path);
    return undefined;
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    return error.message;
  }
}

function changeTo(shell: Shell, path: ShellText): void {
  const old = shell.variables.get('PWD') ?? shell.cwd;
  shell.cwd = path;
  shell.variables.set('OLDPWD', old);
  shell.variables.set('PWD', path);
}

/** `a/../b` is `b`, whatever `a` links to. */
function withoutParents(path: ShellText): ShellText {
  const names: ShellText[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  // POSIX lets two slashes at the start mean something of their own, and bash keeps them.
  return `${/^\/\/(?!\/)/.test(path) ? '//' : '/'}${names.join('/')}`;
}

function withoutEndingSlash(path: ShellText): ShellText {
  return /[^/]/.test(path) ? path.replace(/\/+$/, '') : path;
}

/** `pwd [-LP]` */
export const pwd: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'LP', usage: 'pwd [-LP]' });
  if (!options) return 2;
  const path = isPhysicalOf(shell, options.on, call.args) ? shell.host.files.realpath(shell.cwd) : shell.cwd;
  await shell.print(`${path}\n`);
  return 0;
};

/** `dirs [-clpv] [+N] [-N]` */
export const dirs: Builtin = async (shell, { args }) => {
  let style: 'line' | 'lines' | 'numbers' = 'line';
  let isLong = false;
  for (const arg of args) {
    if (/^[-+]\d+$/.test(arg)) {
      const stack = stackOf(shell);
      const number = Number(arg.slice(1));
      const index = arg.startsWith('+') ? number : stack.length - 1 - number;
      const entry = stack[index];
      if (entry === undefined) {
        await shell.tell(`dirs: ${arg.slice(1)}: directory stack index out of range`);
        return 1;
      }
      const before = style === 'numbers' ? `${String(index).padStart(2)}  ` : '';
      await shell.print(`${before}${isLong ? entry : tilde(shell, entry)}\n`);
      return 0;
    }
    if (!/^-[clpv]+$/.test(arg)) {
      await shell.tell(`dirs: ${arg}: invalid option`);
      shell.warnPlain('dirs: usage: dirs [-clpv] [+N] [-N]');
      return 2;
    }
    if (arg.includes('c')) {
      shell.directoryStack = [];
      return 0;
    }
    if (arg.includes('l')) isLong = true;
    if (arg.includes('p')) style = 'lines';
    if (arg.includes('v')) style = 'numbers';
  }
  const shown = stackOf(shell).map((entry) => (isLong ? entry : tilde(shell, entry)));
  if (style === 'line') await shell.print(`${shown.join(' ')}\n`);
  else if (style === 'lines') await shell.print(shown.map((entry) => `${entry}\n`).join(''));
  else await shell.print(shown.map((entry, index) => `${String(index).padStart(2)}  ${entry}\n`).join(''));
  return 0;
};

function stackOf(shell: Shell): readonly ShellText[] {
  return [shell.cwd, ...shell.directoryStack];
}

function tilde(shell: Shell, path: ShellText): ShellText {
  const home = shell.variables.get('HOME');
  if (!home || home === '/') return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

async function showStack(shell: Shell): Promise<void> {
  await shell.print(
    `${stackOf(shell)
      .map((entry) => tilde(shell, entry))
      .join(' ')}\n`,
  );
}

/** `pushd [-n] [directory | +N | -N]` */
export const pushd: Builtin = async (shell, { args }) => {
  const changes = args[0] !== '-n';
  const operands = changes ? args : args.slice(1);
  const [operand] = operands[0] === '--' ? operands.slice(1) : operands;
  const stack = stackOf(shell);
  if (operands[0] !== '--' && operand !== undefined && /^-./.test(operand) && !/^-\d+$/.test(operand)) {
    await shell.tell(`pushd: ${operand}: invalid number`);
    shell.warnPlain('pushd: usage: pushd [-n] [+N | -N | dir]');
    return 2;
  }
  if (operands.length > 1 && operands[0] !== '--') {
    await shell.tell('pushd: too many arguments');
    return 1;
  }
  if (operand === undefined && !changes) return 0;
  let next: readonly ShellText[];
  if (operand === undefined || /^[-+]\d+$/.test(operand)) {
    if (operand === undefined && stack.length < 2) {
      await shell.tell('pushd: no other directory');
      return 1;
    }
    const at = operand === undefined ? 1 : indexOf(operand, stack);
    if (at === undefined) {
      await shell.tell(`pushd: ${operand}: directory stack index out of range`);
      return 1;
    }
    next =
      operand === undefined
        ? [stack[1] ?? '', stack[0] ?? '', ...stack.slice(2)]
        : [...stack.slice(at), ...stack.slice(0, at)];
  } else if (!changes) {
    shell.directoryStack = [operand, ...shell.directoryStack];
    await showStack(shell);
    return 0;
  } else {
    next = [operand, ...stack];
  }
  const problem = enter(shell, next[0] ?? '', shell.options.has('physical'));
  if (problem !== undefined) {
    await shell.tell(`pushd: ${next[0]}: ${problem}`);
    return 1;
  }
  shell.directoryStack = next.slice(1);
  await showStack(shell);
  return 0;
};

/** `popd [-n] [+N | -N]` */
export const popd: Builtin = async (shell, { args }) => {
  const changes = args[0] !== '-n';
  const operands = changes ? args : args.slice(1);
  const [operand = '+0'] = operands[0] === '--' ? operands.slice(1) : operands;
  const stack = stackOf(shell);
  if (!/^[-+]\d+$/.test(operand)) {
    await shell.tell(`popd: ${operand}: invalid argument`);
    shell.warnPlain('popd: usage: popd [-n] [+N | -N]');
    return 2;
  }
  if (stack.length < 2) {
    await shell.tell('popd: directory stack empty');
    return 1;
  }
  const at = indexOf(operand, stack);
  if (at === undefined) {
    await shell.tell(`popd: ${operand}: directory stack index out of range`);
    return 1;
  }
  const next = stack.filter((_, index) => index !== at);
  if (at === 0 && changes) {
    const problem = enter(shell, next[0] ?? '', shell.options.has('physical'));
    if (problem !== undefined) {
      await shell.tell(`popd: ${next[0]}: ${problem}`);
      return 1;
    }
  }
  shell.directoryStack = next.slice(1);
  await showStack(shell);
  return 0;
};

function indexOf(operand: ShellText, stack: readonly ShellText[]): number | undefined {
  const number = Number(operand.slice(1));
  const index = operand.startsWith('+') ? number : stack.length - 1 - number;
  return index >= 0 && index < stack.length ? index : undefined;
}
