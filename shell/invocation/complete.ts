import { isDirectory } from '../../tree/live/file-mode.ts';
import { absolutePath } from '../files/tree-files.ts';
import type { Shell } from '../interpret/shell.ts';
import { ShellError } from '../shell-error.ts';
import type { Completion } from '../terminal/line-editor.ts';

/** What begins a new word, or a new command. */
const separators = /[\s;|&<>(){}`=]/;
const commandSeparators = /[;|&({`\n]\s*$/;
const special = /[^\w./~@%+:,-]/g;

/** Completes the word before the cursor: a command where one begins, and otherwise a file. */
export function complete(shell: Shell, line: string, cursor: number): Completion {
  const before = line.slice(0, cursor);
  const from = wordStart(before);
  const typed = before.slice(from);
  const isCommand =
    from === 0 || commandSeparators.test(before.slice(0, from)) || before.slice(0, from).trim() === '';
  const candidates =
    isCommand && !typed.includes('/')
      ? commands(shell, typed)
      : typed.startsWith('$')
        ? variables(shell, typed)
        : files(shell, typed);
  return { from, candidates: [...new Set(candidates)].sort() };
}

function wordStart(before: string): number {
  let at = before.length;
  while (at > 0 && !(separators.test(before[at - 1] ?? '') && before[at - 2] !== '\\')) at--;
  return at;
}

function commands(shell: Shell, typed: string): string[] {
  const names = [
    ...shell.builtins.keys(),
    ...shell.functions.keys(),
    ...shell.aliases.keys(),
    ...shell.host.executables.names(shell.variables.get('PATH')),
  ];
  return names.filter((name) => name.startsWith(typed));
}

function variables(shell: Shell, typed: string): string[] {
  return shell.variables
    .names()
    .filter((name) => name.startsWith(typed.slice(1)))
    .map((name) => `$${name}`);
}

function files(shell: Shell, typed: string): string[] {
  const plain = typed.replace(/\\(.)/g, '$1');
  const slash = plain.lastIndexOf('/') + 1;
  const [directory, start] = [plain.slice(0, slash), plain.slice(slash)];
  const home = shell.variables.get('HOME') ?? '/';
  const path = absolutePath(shell.cwd, (directory || '.').replace(/^~(?=\/)/, home));
  try {
    return shell.host.files
      .readdir(path)
      .filter((name) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
      .map((name) => {
        const isFolder = isDirectory(shell.host.files.stat(`${path}/${name}`).mode);
        return (directory + name).replace(special, '\\$&') + (isFolder ? '/' : '');
      });
  } catch (error) {
    if (error instanceof ShellError) return [];
    throw error;
  }
}
