import type { OpenFile } from '../../io/open-file.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';

type Terminal = NonNullable<OpenFile['terminal']>;

/** Settings that are always as they are here, or make no difference: taken without a word. */
const ignored = new Set([
  'cooked',
  '-raw',
  'icanon',
  'isig',
  'ixon',
  '-ixon',
  'ixoff',
  '-ixoff',
  'onlcr',
  'echoe',
  'echok',
  'iutf8',
]);

export const stty: Program = defineProgram({
  usage: '[SETTING]...',
  summary: "Print or change the terminal's settings.",
  options: {
    all: '-a, --all  print all current settings',
    save: '-g, --save  print all current settings in a form that stty reads',
  },
  rewrite: settingsLast,
  async run({ call, options, operands, out }) {
    const { terminal } = call.stdin;
    if (!terminal) throw new ProgramError("'standard input': Inappropriate ioctl for device");
    if (options.has('save')) out.add(terminal.echo ? 'echo\n' : '-echo\n');
    else if (operands.length === 0)
      out.add(
        `speed 38400 baud;${describeSize(terminal, options.has('all'))}\n${terminal.echo ? '' : '-echo\n'}`,
      );
    for (let at = 0; at < operands.length; at++) {
      const setting = operands[at] ?? '';
      if (setting === 'size') out.add(`${terminal.rows} ${terminal.columns}\n`);
      else if (['cols', 'columns', 'rows'].includes(setting)) setSize(terminal, setting, operands[++at]);
      else if (setting === 'sane') [terminal.echo, terminal.opost] = [true, true];
      else if (setting === 'echo' || setting === '-echo') terminal.echo = setting === 'echo';
      else if (setting === 'opost' || setting === '-opost') terminal.opost = setting === 'opost';
      else if (!ignored.has(setting)) throw new UsageError(`invalid argument '${setting}'`);
    }
    return 0;
  },
});

/** `-echo` is a setting, no option: what begins with the first setting is said to be operands. */
function settingsLast(args: readonly ShellText[]): readonly ShellText[] {
  const at = args.findIndex((arg) => !/^(-[ag]|--.*)$/.test(arg));
  return at < 0 ? args : [...args.slice(0, at), '--', ...args.slice(at)];
}

function describeSize({ rows, columns }: Terminal, isShown: boolean): string {
  return isShown ? ` rows ${rows}; columns ${columns}; line = 0;` : ' line = 0;';
}

function setSize(terminal: Terminal, setting: string, value: string | undefined): void {
  const count = Number(value);
  if (value === undefined || !Number.isInteger(count) || count < 1) {
    throw new UsageError(
      value === undefined ? `missing argument to '${setting}'` : `invalid integer argument: '${value}'`,
    );
  }
  if (setting === 'rows') terminal.rows = count;
  else terminal.columns = count;
}
