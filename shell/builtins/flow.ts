import type { Builtin } from '../interpret/builtin.ts';
import type { BuiltinCall } from '../interpret/builtin-call.ts';
import { CommandDiscard, FunctionReturn, LoopExit, ShellExit } from '../interpret/control-flow.ts';
import type { Shell } from '../interpret/shell.ts';
import type { ShellText } from '../text.ts';

/** `exit [status]` */
export const exit: Builtin = async (shell, call) => {
  throw new ShellExit((await statusArgument(shell, call)) & 0xff);
};

/** `logout [status]`: `exit` of a login shell. */
export const logout: Builtin = async (shell, call) => {
  if (shell.options.hasShopt('login_shell')) return await exit(shell, call);
  await shell.tell("logout: not login shell: use `exit'");
  return 1;
};

/** `return [status]` */
export const returnBuiltin: Builtin = async (shell, call) => {
  if (shell.frames.length === 0) {
    await shell.tell("return: can only `return' from a function or sourced script");
    return 2;
  }
  throw new FunctionReturn((await statusArgument(shell, call)) & 0xff);
};

/** `break [count]` and `continue [count]` */
export const leaveLoop: Builtin = async (shell, { name, args }) => {
  if (shell.loopDepth === 0) {
    await shell.tell(`${name}: only meaningful in a \`for', \`while', or \`until' loop`);
    return 0;
  }
  const operands = args[0] === '--' ? args.slice(1) : args;
  const [count = '1'] = operands;
  if (!isInteger(count)) {
    await shell.tell(`${name}: ${count}: numeric argument required`);
    throw new ShellExit(128);
  }
  if (operands.length > 1) throw await tooManyArguments(shell, name);
  const levels = Number(count);
  if (levels < 1) {
    await shell.tell(`${name}: ${count}: loop count out of range`);
    throw new LoopExit('break', shell.loopDepth, 1);
  }
  throw new LoopExit(name === 'break' ? 'break' : 'continue', Math.min(levels, shell.loopDepth));
};

/** What is meant without a status in a trap: before it for `return`, but for `DEBUG`, and for `exit` in that of `EXIT`. */
function statusBeforeTrap({ trap }: Shell, name: string): number | undefined {
  if (name === 'exit') return trap?.name === 'EXIT' ? trap.status : undefined;
  return trap?.name === 'DEBUG' ? undefined : trap?.status;
}

async function statusArgument(shell: Shell, { name, args }: BuiltinCall): Promise<number> {
  const operands = args[0] === '--' ? args.slice(1) : args;
  const [argument] = operands;
  if (argument === undefined) return statusBeforeTrap(shell, name) ?? shell.lastStatus;
  if (!isInteger(argument)) {
    await shell.tell(`${name}: ${argument}: numeric argument required`);
    return 2;
  }
  if (operands.length > 1) throw await tooManyArguments(shell, name);
  return Number(BigInt.asUintN(8, BigInt(argument.trim().replace(/^\+/, ''))));
}

function isInteger(text: ShellText): boolean {
  return /^\s*[-+]?\d{1,18}\s*$/.test(text);
}

/** Tells it. What is left of the line, or of `bash -c`, is not run. */
export async function tooManyArguments(shell: Shell, name: string): Promise<ShellExit | CommandDiscard> {
  await shell.tell(`${name}: too many arguments`);
  return shell.start.command === undefined ? new CommandDiscard(1) : new ShellExit(1);
}
