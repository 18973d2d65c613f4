import type { Builtin } from '../interpret/builtin.ts';
import { singleQuote } from './declaration-text.ts';
import { readOptions } from './option-letters.ts';

/** `alias [-p] [name[=value]]` */
export const alias: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'p', usage: 'alias [-p] [name[=value] ... ]' });
  if (!options) return 2;
  const line = (name: string, value: string) =>
    `${shell.options.has('posix') ? '' : 'alias '}${name}=${singleQuote(value)}\n`;
  if (options.operands.length === 0 || options.on.has('p')) {
    const sorted = [...shell.aliases].sort(([one], [other]) => (one < other ? -1 : 1));
    await shell.print(sorted.map(([name, value]) => line(name, value)).join(''));
  }
  let status = 0;
  for (const operand of options.operands) {
    const equals = operand.indexOf('=', 1);
    const name = equals < 0 ? operand : operand.slice(0, equals);
    const value = shell.aliases.get(name);
    if (equals > 0) {
      if (/[\s/$`"'\\|&;()<>]/.test(name)) {
        await shell.tell(`alias: \`${name}': invalid alias name`);
        status = 1;
      } else shell.aliases.set(name, operand.slice(equals + 1));
    } else if (value === undefined) {
      await shell.tell(`alias: ${name}: not found`);
      status = 1;
    } else await shell.print(line(name, value));
  }
  return status;
};

/** `unalias [-a] names` */
export const unalias: Builtin = async (shell, call) => {
  const usage = 'unalias [-a] name [name ...]';
  const options = readOptions(shell, call, { letters: 'a', usage });
  if (!options) return 2;
  if (options.on.has('a')) {
    shell.aliases.clear();
    return 0;
  }
  if (options.operands.length === 0) {
    shell.warnPlain(`unalias: usage: ${usage}`);
    return 2;
  }
  let status = 0;
  for (const name of options.operands) {
    if (shell.aliases.delete(name)) continue;
    await shell.tell(`unalias: ${name}: not found`);
    status = 1;
  }
  return status;
};
