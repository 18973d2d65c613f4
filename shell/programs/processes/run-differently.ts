import { encodeText, type ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { runCommand } from '../command-line/run-command.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { expandEscapes } from '../notation/expand-escapes.ts';
import type { Program } from '../program.ts';
import { openOutput } from '../streams/input.ts';

/** Programs that run another with something changed: priorities, which there are none of here, time, user, signals. */
export const nice: Program = defineProgram({
  usage: '[OPTION] [COMMAND [ARG]...]',
  summary: 'Run COMMAND with an adjusted niceness. With no COMMAND, print the current niceness.',
  usageStatus: 125,
  permutes: false,
  options: { adjustment: '-n, --adjustment=N  add integer N to the niceness (default 10)' },
  rewrite: (args) =>
    /^-{1,2}\d+$/.test(args[0] ?? '') ? [`-n${args[0]?.slice(1)}`, ...args.slice(1)] : args,
  async run(invocation) {
    const { options, operands, out } = invocation;
    const adjustment = options.value('adjustment');
    if (adjustment !== undefined && !/^[-+]?\d+$/.test(adjustment)) {
      throw new ProgramError(`invalid adjustment ${quoteName(adjustment)}`, { status: 125 });
    }
    if (operands.length > 0) return runCommand(invocation, operands);
    if (adjustment !== undefined) throw new UsageError('a command must be given with an adjustment');
    out.add('0\n');
    return 0;
  },
});

export const nohup: Program = defineProgram({
  usage: 'COMMAND [ARG]...',
  summary: 'Run COMMAND, ignoring hangup signals.',
  usageStatus: 125,
  permutes: false,
  async run(invocation) {
    const { call, operands, warn } = invocation;
    if (operands.length === 0) throw new UsageError('missing operand');
    const failing = 'failed to run command ';
    if (!call.stdout.isTerminal) return runCommand(invocation, operands, { failing });
    await warn("ignoring input and appending output to 'nohup.out'");
    const stdout = openOutput(call, 'nohup.out', { append: true });
    const stdin = call.files.open('/dev/null', { read: true }, call);
    const stderr = call.stderr.isTerminal ? stdout : call.stderr;
    try {
      return await runCommand(invocation, operands, { options: { stdin, stdout, stderr }, failing });
    } finally {
      stdin.release();
      stdout.release();
    }
  },
});

const usualTime =
  '%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps\n';

export const time: Program = defineProgram({
  usage: '[OPTION]... COMMAND [ARG]...',
  summary: 'Run COMMAND, then print the time that it took.',
  usageStatus: 125,
  permutes: false,
  options: {
    append: '-a, --append  with -o, append instead of overwriting',
    format: '-f, --format=FORMAT  use FORMAT: %e or %E elapsed, %U user, %S system, %C command, %x status',
    output: '-o, --output=FILE  write to FILE instead of standard error',
    portable: '-p, --portability  print in the format of POSIX',
    quiet: '-q, --quiet  do not report an unusual exit status',
    verbose: '-v, --verbose  print all that is known',
  },
  async run(invocation) {
    const { call, options, operands } = invocation;
    if (operands.length === 0) throw new UsageError('missing operand');
    const started = performance.now();
    const status = await runCommand(invocation, operands, { failing: 'cannot run ' });
    const seconds = (performance.now() - started) / 1000;
    const given = options.value('format');
    const format = options.has('portable')
      ? 'real %e\nuser %U\nsys %S\n'
      : given === undefined
        ? usualTime
        : `${expandEscapes(given).text}\n`;
    const text = format.replaceAll(
      /%([a-zA-Z%])/g,
      (whole, letter: string) => timeField(letter, { seconds, status, operands }) ?? whole,
    );
    const output = options.value('output');
    if (output === undefined) await call.stderr.write(encodeText(text), call.signal);
    else {
      const file = openOutput(call, output, { append: options.has('append') });
      try {
        await file.write(encodeText(text), call.signal);
      } finally {
        file.release();
      }
    }
    return status;
  },
});

function timeField(
  letter: string,
  { seconds, status, operands }: { seconds: number; status: number; operands: readonly ShellText[] },
): string | undefined {
  switch (letter) {
    case 'e':
      return seconds.toFixed(2);
    case 'E':
      return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(2).padStart(5, '0')}`;
    // What a program computes cannot be told from what others compute meanwhile.
    case 'U':
    case 'S':
      return '0.00';
    case 'P':
      return '0%';
    case 'C':
      return operands.join(' ');
    case 'x':
      return String(status);
    case '%':
      return '%';
    default:
      return /[XDMIOFRWKtpcwsrZ]/.test(letter) ? '0' : undefined;
  }
}
