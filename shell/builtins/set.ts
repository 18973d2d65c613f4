import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { type SetOption, setOptions } from '../state/options.ts';
import type { ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';
import { showAll } from './variable-listing.ts';

const optionOfLetter: ReadonlyMap<string, SetOption> = new Map(
  Object.entries(setOptions).flatMap(([name, letter]) =>
    letter ? [[letter, name as SetOption] as const] : [],
  ),
);
const usage = 'set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]';

/** `set [options] [arguments]` */
export const set: Builtin = async (shell, { args }) => {
  if (args.length === 0) {
    await showAll(shell);
    return 0;
  }
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      setPositional(shell, args.slice(at + 1));
      return 0;
    }
    if (arg === '-') {
      shell.options.set('xtrace', false);
      shell.options.set('verbose', false);
      if (at + 1 < args.length) setPositional(shell, args.slice(at + 1));
      return 0;
    }
    if (!/^[-+]/.test(arg)) break;
    const on = arg.startsWith('-');
    for (const letter of arg.slice(1)) {
      const option = optionOfLetter.get(letter);
      if (letter === 'o') {
        const name = args[at + 1];
        if (name === undefined || /^[-+]/.test(name)) {
          await shell.print(optionTable(shell, on));
          continue;
        }
        at += 1;
        if (!isSetOption(name)) {
          await shell.tell(`set: ${name}: invalid option name`);
          return 2;
        }
        setOption(shell, name, on);
      } else if (option) {
        shell.options.set(option, on);
      } else {
        await shell.tell(`set: ${arg[0]}${letter}: invalid option`);
        shell.warnPlain(`set: usage: ${usage}`);
        return 2;
      }
    }
  }
  if (at < args.length) setPositional(shell, args.slice(at));
  return 0;
};

function setOption(shell: Shell, name: SetOption, on: boolean): void {
  shell.options.set(name, on);
  if (name !== 'posix') return;
  if (on) shell.variables.set('POSIXLY_CORRECT', 'y');
  else shell.variables.unset('POSIXLY_CORRECT');
}

function setPositional(shell: Shell, values: readonly ShellText[]): void {
  shell.positional = values;
  shell.timesSet += 1;
}

/** `shopt [-pqsu] [-o] [names]` */
export const shopt: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'opqsu', usage: 'shopt [-pqsu] [-o] [optname ...]' });
  if (!options) return 2;
  const { on, operands } = options;
  if (on.has('s') && on.has('u')) {
    await shell.tell('shopt: cannot set and unset shell options simultaneously');
    return 1;
  }
  const table = on.has('o') ? setTable(shell) : shoptTable(shell);
  const changes = on.has('s') || on.has('u');
  if (operands.length === 0) {
    const wanted = table.names.filter((name) => !changes || table.has(name) === on.has('s'));
    if (!on.has('q')) await shell.print(wanted.map((name) => table.show(name, on.has('p'))).join(''));
    return 0;
  }
  let status = 0;
  for (const name of operands) {
    if (!table.names.includes(name)) {
      await shell.tell(`shopt: ${name}: invalid shell option name`);
      status = on.has('o') && changes ? 0 : 1;
    } else if (changes) {
      table.set(name, on.has('s'));
    } else {
      if (!table.has(name)) status = 1;
      if (!on.has('q')) await shell.print(table.show(name, on.has('p')));
    }
  }
  return status;
};

interface OptionTable {
  readonly names: readonly string[];
  has(name: string): boolean;
  set(name: string, on: boolean): void;
  show(name: string, asCommand: boolean): ShellText;
}

function shoptTable({ options }: Shell): OptionTable {
  return {
    names: options.shoptNames(),
    has: (name) => options.hasShopt(name),
    set: (name, on) => void options.setShopt(name, on),
    show: (name, asCommand) => {
      const on = options.hasShopt(name);
      return asCommand ? `shopt -${on ? 's' : 'u'} ${name}\n` : `${name.padEnd(15)}\t${on ? 'on' : 'off'}\n`;
    },
  };
}

function setTable(shell: Shell): OptionTable {
  const { options } = shell;
  return {
    names: Object.keys(setOptions),
    has: (name) => isSetOption(name) && options.has(name),
    set: (name, on) => {
      if (isSetOption(name)) setOption(shell, name, on);
    },
    show: (name, asCommand) => {
      const on = isSetOption(name) && options.has(name);
      return asCommand ? `set ${on ? '-' : '+'}o ${name}\n` : `${name.padEnd(15)}\t${on ? 'on' : 'off'}\n`;
    },
  };
}

/** `set -o` shows a table, `set +o` commands. */
function optionTable(shell: Shell, asTable: boolean): ShellText {
  const table = setTable(shell);
  return table.names.map((name) => table.show(name, !asTable)).join('');
}

function isSetOption(name: string): name is SetOption {
  return Object.hasOwn(setOptions, name);
}
