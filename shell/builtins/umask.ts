import type { Builtin } from '../interpret/builtin.ts';
import type { ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';

/** `umask [-p] [-S] [mode]` */
export const umask: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'pS', usage: 'umask [-p] [-S] [mode]' });
  if (!options) return 2;
  const [mode] = options.operands;
  if (mode === undefined) {
    const text = options.on.has('S') ? symbolic(shell.umask) : shell.umask.toString(8).padStart(4, '0');
    await shell.print(`${options.on.has('p') ? `umask ${options.on.has('S') ? '-S ' : ''}` : ''}${text}\n`);
    return 0;
  }
  if (/^\d/.test(mode)) {
    if (!/^[0-7]+$/.test(mode) || Number.parseInt(mode, 8) > 0o7777) {
      await shell.tell(`umask: ${mode}: octal number out of range`);
      return 1;
    }
    shell.umask = Number.parseInt(mode, 8) & 0o777;
    if (options.on.has('S')) await shell.print(`${symbolic(shell.umask)}\n`);
    return 0;
  }
  const mask = symbolicMask(mode, shell.umask);
  if (mask === undefined) {
    await shell.tell(`umask: \`${mode}': invalid symbolic mode operator`);
    return 1;
  }
  shell.umask = mask;
  if (options.on.has('S')) await shell.print(`${symbolic(mask)}\n`);
  return 0;
};

function symbolic(mask: number): ShellText {
  const allowed = ~mask & 0o777;
  const rights = (bits: number) => `${bits & 4 ? 'r' : ''}${bits & 2 ? 'w' : ''}${bits & 1 ? 'x' : ''}`;
  return `u=${rights(allowed >> 6)},g=${rights(allowed >> 3)},o=${rights(allowed)}`;
}

function symbolicMask(mode: ShellText, mask: number): number | undefined {
  let allowed = ~mask & 0o777;
  for (const clause of mode.split(',')) {
    const [, who, operator, rights] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(clause) ?? [];
    if (who === undefined || rights === undefined) return undefined;
    const bits = [...rights].reduce((all, right) => all | ({ r: 4, w: 2, x: 1 }[right] ?? 0), 0);
    for (const [letter, shift] of [
      ['u', 6],
      ['g', 3],
      ['o', 0],
    ] as const) {
      if (who !== '' && !who.includes('a') && !who.includes(letter)) continue;
      const shifted = bits << shift;
      if (operator === '+') allowed |= shifted;
      else if (operator === '-') allowed &= ~shifted;
      else allowed = (allowed & ~(7 << shift)) | shifted;
    }
  }
  return ~allowed & 0o777;
}
