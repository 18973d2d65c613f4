import { isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import { matches } from '../../expand/patterns/match-pattern.ts';
import { ShellError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import type { Invocation } from '../command-line/define-program.ts';
import { pathOf } from '../paths/operands.ts';
import { baseName, joinPath } from '../paths/path-names.ts';
import { readInput } from '../streams/input.ts';
import type { GrepKey } from './grep-options.ts';

interface GrepFile {
  readonly name: ShellText;
  /** Found in a directory, or a name for which there is nothing. */
  readonly isImplied: boolean | 'missing';
}

/** The files that are searched: operands and, in recursive search, all files below them. */
export async function* grepFiles(
  { call, options, warn }: Pick<Invocation<GrepKey>, 'call' | 'options' | 'warn'>,
  names: readonly ShellText[],
  { isRecursive, isBare }: { isRecursive: boolean; isBare: boolean },
): AsyncGenerator<GrepFile> {
  const excluded = [...options.values('exclude')];
  for (const file of options.values('excludeFrom')) {
    excluded.push(
      ...decodeText(await readInput(call, file))
        .split('\n')
        .filter((line) => line !== ''),
    );
  }
  const included = options.values('include');
  const excludedDirectories = options
    .values('excludeDirectory')
    .map((pattern) => pattern.replace(/\/+$/, ''));
  const isWanted = (name: ShellText) => {
    const base = baseName(name);
    const isMatch = (pattern: ShellText) => matches(pattern, base) || matches(pattern, name);
    return !excluded.some(isMatch) && (included.length === 0 || included.some(isMatch));
  };
  for (const name of names) {
    if (name === '-') {
      yield { name, isImplied: false };
      continue;
    }
    const path = pathOf(call, name);
    try {
      const { mode } = call.files.stat(path);
      if (isRecursive && isDirectory(mode)) {
        const isSkipped =
          !isBare && excludedDirectories.some((pattern) => matches(pattern, name.replace(/(?<=.)\/+$/, '')));
        if (!isSkipped) yield* below(name, isBare);
      } else if (isWanted(name)) yield { name, isImplied: false };
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      await warn(`${name}: ${error.message}`);
      yield { name, isImplied: 'missing' };
    }
  }

  function* below(directory: ShellText, isWorkingDirectory: boolean): Generator<GrepFile> {
    for (const entry of [...call.files.readdir(pathOf(call, directory))].sort()) {
      const name = isWorkingDirectory ? entry : joinPath(directory, entry);
      const path = pathOf(call, name);
      let { mode } = call.files.lstat(path);
      if (isSymlink(mode)) {
        // Links that are found on the way are followed only with -R.
        if (!options.has('dereference') || !call.files.exists(path)) continue;
        mode = call.files.stat(path).mode;
      }
      if (isDirectory(mode)) {
        if (!excludedDirectories.some((pattern) => matches(pattern, entry))) yield* below(name, false);
      } else if (isFile(mode) && isWanted(name)) yield { name, isImplied: true };
    }
  }
}
