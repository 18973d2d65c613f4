import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { signalName, signalNumber } from '../processes/signals.ts';
import type { ShellText } from '../text.ts';
import { signalNames, signalTable } from './trap.ts';

const usage = 'kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]';

/** `kill [-s signal | -n number | -signal] processes`, `kill -l [statuses]` */
export const kill: Builtin = async (shell, { args }) => {
  let signal: string | undefined = 'SIGTERM';
  let at = 0;
  const [first] = args;
  if (first === undefined) {
    shell.warnPlain(`kill: usage: ${usage}`);
    return 2;
  }
  if (first === '-l' || first === '-L') return await list(shell, args.slice(1));
  if (first === '-s' || first === '-n') {
    const name = args[1];
    if (name === undefined) {
      await shell.tell(`kill: ${first}: option requires an argument`);
      return 1;
    }
    signal = signalOf(name);
    at = 2;
    if (signal === undefined) return await invalidSignal(shell, name);
  } else if (/^-./.test(first) && first !== '--') {
    const name =
      /^-[sn]./.test(first) && signalOf(first.slice(1)) === undefined ? first.slice(2) : first.slice(1);
    signal = signalOf(name);
    at = 1;
    if (signal === undefined) return await invalidSignal(shell, name);
  }
  if (args[at] === '--') at += 1;
  if (at >= args.length) {
    shell.warnPlain(`kill: usage: ${usage}`);
    return 2;
  }
  let status = 1;
  for (const operand of args.slice(at)) if (await killOne(shell, operand, signal)) status = 0;
  const pause = shell.step();
  if (pause) await pause;
  return status;
};

async function invalidSignal(shell: Shell, name: ShellText): Promise<number> {
  await shell.tell(`kill: ${name}: invalid signal specification`);
  return 1;
}

/** `EXIT` of 0, which signals nothing and only asks. */
function signalOf(word: ShellText): string | undefined {
  if (word === '0' || word.toUpperCase() === 'EXIT') return 'EXIT';
  if (/^\d+$/.test(word)) return signalName(Number(word));
  const number = signalNumber(word);
  return number === undefined ? undefined : signalName(number);
}

async function killOne(shell: Shell, operand: ShellText, signal: string): Promise<boolean> {
  const { table } = shell.host;
  const sent = signal === 'EXIT' ? undefined : signal;
  if (operand.startsWith('%')) {
    const job = shell.jobs.named(operand);
    if (!job) {
      await shell.tell(`kill: ${operand}: no such job`);
      return false;
    }
    const { process } = job;
    if (process.end) {
      await shell.tell(`kill: (${process.pid}) - No such process`);
      return false;
    }
    return table.kill(process.group === process.pid ? -process.pid : process.pid, sent);
  }
  if (!/^-?\d+$/.test(operand)) {
    await shell.tell(`kill: ${operand}: arguments must be process or job IDs`);
    return false;
  }
  const pid = Number(operand) === 0 ? -shell.process.group : Number(operand);
  if (table.kill(pid, sent)) return true;
  await shell.tell(`kill: (${operand}) - No such process`);
  return false;
}

async function list(shell: Shell, words: readonly ShellText[]): Promise<number> {
  if (words.length === 0) {
    await shell.print(shell.options.has('posix') ? `${signalNames().join(' ')}\n` : signalTable());
    return 0;
  }
  let status = 0;
  for (const word of words) {
    const number = /^\d+$/.test(word) ? Number(word) : undefined;
    const name =
      number === undefined
        ? undefined
        : number === 0
          ? 'EXIT'
          : signalName(number > 128 ? number - 128 : number);
    const found = number === undefined ? signalNumber(word) : name?.replace(/^SIG/, '');
    if (found === undefined) {
      await shell.tell(`kill: ${word}: invalid signal specification`);
      status = 1;
    } else await shell.print(`${found}\n`);
  }
  return status;
}
