import { sourceOfFunction } from '../interpret/command-text.ts';
import type { Shell } from '../interpret/shell.ts';
import type { ShellText } from '../text.ts';

/** The source of all functions, by their names. */
export function allFunctions(shell: Shell): ShellText {
  return sortedFunctions(shell)
    .map((called) => `${sourceOfFunction(called)}\n`)
    .join('');
}

/** `declare -f` and `declare -F` */
export async function listFunctions(
  shell: Shell,
  { namesOnly, readonly = false }: { namesOnly: boolean; readonly?: boolean },
): Promise<number> {
  const lines = sortedFunctions(shell).flatMap((called) => {
    const { name, isExported, isReadonly } = called;
    if (readonly && !isReadonly) return [];
    const flags = `${isReadonly ? 'r' : ''}${isExported ? 'x' : ''}`;
    const line = `declare -f${flags} ${name}\n`;
    if (namesOnly) return [line];
    return [`${sourceOfFunction(called)}\n`, ...(flags === '' ? [] : [line])];
  });
  await shell.print(lines.join(''));
  return 0;
}

/** `declare -f name` and `declare -F name`. Answers 1 where one is missing. */
export async function showFunctions(
  shell: Shell,
  names: readonly ShellText[],
  { namesOnly }: { namesOnly: boolean },
): Promise<number> {
  let status = 0;
  for (const name of names) {
    const called = shell.functions.get(name);
    if (!called) status = 1;
    else if (!namesOnly) await shell.print(`${sourceOfFunction(called)}\n`);
    else if (!shell.options.hasShopt('extdebug')) await shell.print(`${name}\n`);
    else await shell.print(`${name} ${called.line} ${called.source}\n`);
  }
  return status;
}

function sortedFunctions({ functions }: Shell) {
  return [...functions.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}
