import { evaluateArithmetic } from '../expand/expand.ts';
import type { Builtin } from '../interpret/builtin.ts';
import { ShellExit } from '../interpret/control-flow.ts';
import { tooManyArguments } from './flow.ts';

/** `shift [count]` */
export const shift: Builtin = async (shell, { args }) => {
  const operands = args[0] === '--' ? args.slice(1) : args;
  const [count = '1'] = operands;
  if (operands.length > 1) throw await tooManyArguments(shell, 'shift');
  if (!/^\s*[-+]?\d+\s*$/.test(count)) {
    await shell.tell(`shift: ${count}: numeric argument required`);
    if (shell.options.has('posix')) throw new ShellExit(1);
    return 1;
  }
  const by = Number(count);
  if (by < 0 || by > shell.positional.length) {
    if (by < 0 || shell.options.hasShopt('shift_verbose')) {
      await shell.tell(`shift: ${count}: shift count out of range`);
    }
    return 1;
  }
  shell.positional = shell.positional.slice(by);
  return 0;
};

/** `let expressions` */
export const letBuiltin: Builtin = async (shell, { args }) => {
  const expressions = args[0] === '--' ? args.slice(1) : args;
  if (expressions.length === 0) {
    await shell.tell('let: expression expected');
    return 1;
  }
  let value = 0n;
  for (const expression of expressions) value = await evaluateArithmetic(expression, shell.scope);
  return value === 0n ? 1 : 0;
};
