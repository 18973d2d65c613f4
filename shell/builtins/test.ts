import { evaluateTest } from '../expand/expand.ts';
import type { Builtin } from '../interpret/builtin.ts';

/** `test expression` */
export const test: Builtin = (shell, { args }) => evaluateTest(args, shell.scope);

/** `[ expression ]` */
export const bracket: Builtin = async (shell, { args }) => {
  if (args.at(-1) === ']') return await evaluateTest(args.slice(0, -1), shell.scope, { name: '[' });
  await shell.tell("[: missing `]'");
  return 2;
};
