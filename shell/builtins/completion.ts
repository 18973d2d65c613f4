import { isDirectory } from '../../tree/live/file-mode.ts';
import { absolutePath } from '../files/tree-files.ts';
import type { Builtin } from '../interpret/builtin.ts';
import { callFunction } from '../interpret/function-calls.ts';
import type { Shell } from '../interpret/shell.ts';
import { signalName, signalNumbers } from '../processes/signals.ts';
import { ShellError } from '../shell-error.ts';
import { setOptions } from '../state/options.ts';
import type { ShellText } from '../text.ts';
import { splitFields } from './split-fields.ts';

/** `complete`, `compopt` and `bind`: there is no line editor in a script that they would change. */
export const acceptCompletion: Builtin = () => 0;

const lettersWithValue = 'oACFGPSVWX';

/** `compgen`: words of a kind that begin with a prefix. */
export const compgen: Builtin = async (shell, { args }) => {
  const found: ShellText[] = [];
  const actions: string[] = [];
  const values = new Map<string, ShellText>();
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      at += 1;
      break;
    }
    if (!/^-[a-zA-Z]/.test(arg)) break;
    for (let index = 1; index < arg.length; index++) {
      const letter = arg[index] ?? '';
      if (!lettersWithValue.includes(letter)) {
        actions.push(letter);
        continue;
      }
      const value = arg.slice(index + 1) || args[++at];
      if (value === undefined) {
        await shell.tell(`compgen: -${letter}: option requires an argument`);
        return 2;
      }
      if (letter === 'A') actions.push(value);
      else values.set(letter, value);
      break;
    }
  }
  const prefix = args[at] ?? '';
  const add = (candidates: readonly ShellText[]): void => {
    for (const word of candidates) found.push(word);
  };
  for (const action of actions) add(wordsOf(shell, action, prefix));
  const words = values.get('W');
  if (words !== undefined) {
    const separators = shell.variables.get('IFS') ?? ' \t\n';
    add(splitFields(words, { separators, isRaw: false }).filter((word) => word.startsWith(prefix)));
  }
  const called = shell.functions.get(values.get('F') ?? '');
  if (called) {
    shell.warn('compgen: warning: -F option may not work as you expect');
    shell.variables.unset('COMPREPLY');
    await callFunction(shell, called, { args: ['compgen', prefix, ''] });
    add(shell.variables.elements('COMPREPLY'));
  }
  const before = values.get('P') ?? '';
  const after = values.get('S') ?? '';
  await shell.print(found.map((word) => `${before}${word}${after}\n`).join(''));
  return found.length > 0 ? 0 : 1;
};

function wordsOf(shell: Shell, action: string, prefix: ShellText): readonly ShellText[] {
  if (action === 'f' || action === 'file') return filesOf(shell, prefix, { directoriesOnly: false });
  if (action === 'd' || action === 'directory') return filesOf(shell, prefix, { directoriesOnly: true });
  const names = namesOf(shell, action);
  return [...new Set(names)].filter((name) => name.startsWith(prefix)).sort();
}

function namesOf(shell: Shell, action: string): readonly ShellText[] {
  switch (action) {
    case 'v':
    case 'variable':
      return shell.variables.names();
    case 'e':
    case 'export':
      return [...shell.variables.environment().keys()];
    case 'a':
    case 'alias':
      return [...shell.aliases.keys()];
    case 'b':
    case 'builtin':
    case 'enabled':
      return [...shell.builtins.keys()];
    case 'function':
      return [...shell.functions.keys()];
    case 'arrayvar':
      return shell.variables.names().filter((name) => {
        const type = shell.variables.variable(name)?.value?.type;
        return type === 'indexed' || type === 'associative';
      });
    case 'shopt':
      return shell.options.shoptNames();
    case 'setopt':
      return Object.keys(setOptions);
    case 'signal':
      return signalNumbers().map((number) => signalName(number) ?? '');
    case 'u':
    case 'user':
      return shell.host.users.map(({ name }) => name);
    case 'k':
    case 'keyword':
      return 'if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc'.split(
        ' ',
      );
    case 'c':
    case 'command':
      return [...shell.builtins.keys(), ...shell.functions.keys(), ...shell.aliases.keys()];
    default:
      return [];
  }
}

function filesOf(
  shell: Shell,
  prefix: ShellText,
  { directoriesOnly }: { directoriesOnly: boolean },
): ShellText[] {
  const slash = prefix.lastIndexOf('/') + 1;
  const directory = absolutePath(shell.cwd, prefix.slice(0, slash) || '.');
  const start = prefix.slice(slash);
  try {
    return shell.host.files
      .readdir(directory)
      .filter((name) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
      .filter((name) => !directoriesOnly || isDirectory(shell.host.files.stat(`${directory}/${name}`).mode))
      .map((name) => prefix.slice(0, slash) + name)
      .sort();
  } catch (error) {
    if (error instanceof ShellError) return [];
    throw error;
  }
}
