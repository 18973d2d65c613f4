import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { type TrapName, trapNamed } from '../interpret/traps.ts';
import { signalName, signalNumbers } from '../processes/signals.ts';
import type { ShellText } from '../text.ts';
import { singleQuote } from './declaration-text.ts';
import { readOptions } from './option-letters.ts';

const usage = 'trap [-lp] [[arg] signal_spec ...]';

/** `trap [-lp] [[command] signals]` */
export const trap: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'lp', usage });
  if (!options) return 2;
  const { on, operands } = options;
  if (on.has('l')) {
    await shell.print(signalTable());
    return 0;
  }
  if (on.has('p') || operands.length === 0) return await show(shell, operands);
  const [first = '', ...rest] = operands;
  // One signal alone is reset, and so are all when the command is a number.
  const resets =
    first === '-' || rest.length === 0 || (/^\d+$/.test(first) && trapNamed(first) !== undefined);
  if (rest.length === 0 && trapNamed(first) === undefined) {
    shell.warnPlain(`trap: usage: ${usage}`);
    return 2;
  }
  const signals = resets && first !== '-' ? operands : rest;
  let status = 0;
  for (const word of signals) {
    const name = trapNamed(word);
    if (name === undefined) {
      await shell.tell(`trap: ${word}: invalid signal specification`);
      status = 1;
    } else if (resets) shell.traps.reset(name);
    else shell.traps.set(name, first);
  }
  return status;
};

async function show(shell: Shell, words: readonly ShellText[]): Promise<number> {
  if (words.length === 0) {
    await shell.print(shell.traps.list().map(lineOf).join(''));
    return 0;
  }
  let status = 0;
  const list = shell.traps.list();
  for (const word of words) {
    const name = trapNamed(word);
    const found = list.find(([other]) => other === name);
    if (name === undefined) {
      await shell.tell(`trap: ${word}: invalid signal specification`);
      status = 1;
    } else if (found) await shell.print(lineOf(found));
  }
  return status;
}

function lineOf([name, command]: readonly [TrapName, ShellText]): ShellText {
  return `trap -- ${singleQuote(command)} ${name}\n`;
}

/** Without `SIG`. */
export function signalNames(): readonly string[] {
  return signalNumbers().flatMap((number) => signalName(number)?.replace(/^SIG/, '') ?? []);
}

/** The table of `trap -l` and `kill -l`. */
export function signalTable(): ShellText {
  let text = '';
  for (const [index, number] of signalNumbers().entries()) {
    const isEnd = index % 5 === 4 || index === signalNumbers().length - 1;
    text += `${String(number).padStart(2)}) ${isEnd ? `${signalName(number)}\n` : `${signalName(number)}\t`}`;
  }
  return text;
}
