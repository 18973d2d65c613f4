import type { Builtin } from '../interpret/builtin.ts';
import { readOptions } from './option-letters.ts';

/** `times`: what the processes computed is not known. */
export const times: Builtin = async (shell, call) => {
  if (!readOptions(shell, call, { letters: '', usage: 'times' })) return 2;
  await shell.print('0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n');
  return 0;
};
