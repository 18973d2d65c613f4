import type { Program } from '../program.ts';

/**
 * A program that is a word of the shell as well (`test`, `printf`, `[`): a shell runs it, so that it does the same whether
 * `env`, `xargs` or a script calls it.
 */
export function shellWord(word: string): Program {
  return (call) => call.run(['bash', '-c', `builtin ${word} "$@"`, word, ...call.args]);
}
