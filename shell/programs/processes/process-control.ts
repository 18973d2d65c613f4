import { signalName, signalNumber, signalNumbers } from '../../processes/signals.ts';
import type { ShellText } from '../../text.ts';
import { calendarTime } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import { Accounts } from '../attributes/accounts.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { Regex } from '../patterns/regex.ts';
import { RegexProblem } from '../patterns/regex-node.ts';
import type { ListedProcess, Program } from '../program.ts';
import { now, timestampOf, zoneOfCall } from '../time/now.ts';

/** `SIGTERM` of `TERM`, `15`, `SIGTERM`; `0` asks only whether a process is there. @throws ProgramError */
function signalOf(text: ShellText): string {
  if (text === '0') return '0';
  const number = /^\d+$/.test(text) ? Number(text) : signalNumber(text);
  const name = number === undefined ? undefined : signalName(number);
  if (name === undefined) throw new ProgramError(`${quoteName(text)}: invalid signal`, { isUsage: true });
  return name;
}

/** `-9`, `-TERM` as `-s 9`: whatever is no option that there is. */
function withSignal(args: readonly ShellText[], letters: string): readonly ShellText[] {
  const at = args.findIndex((argument) => /^-(\d+|[A-Z][A-Z0-9+-]+)$/.test(argument));
  const found = args[at];
  if (found === undefined || (found.length === 2 && letters.includes(found[1] ?? ''))) return args;
  return [`-s${found.slice(1)}`, ...args.slice(0, at), ...args.slice(at + 1)];
}

export const kill: Program = defineProgram({
  usage: '[-s SIGNAL | -SIGNAL] PID...\n  or:  kill -l [SIGNAL]...',
  summary: 'Send signals to processes, or list signals.',
  options: {
    signal: '-s, --signal=SIGNAL  specify the name or number of the signal to be sent',
    list: '-l, --list  list signal names, or convert signal names to/from numbers',
    table: '-t, -L, --table  print a table of signal information',
  },
  rewrite: (args) => withSignal(args, 'slLt'),
  async run({ call, options, operands, out, warn }) {
    if (options.has('list', 'table')) {
      const shown = operands.length > 0 ? operands : signalNumbers().map(String);
      for (const text of shown) {
        const number = /^\d+$/.test(text) ? Number(text) % 128 : undefined;
        const name = number === undefined ? undefined : signalName(number);
        const line = number === undefined ? String(signalNumber(text) ?? '') : (name?.slice(3) ?? '');
        if (line === '') throw new ProgramError(`${quoteName(text)}: invalid signal`);
        out.add(`${line}\n`);
      }
      return 0;
    }
    const signal = signalOf(options.value('signal') ?? 'TERM');
    if (operands.length === 0) throw new UsageError('no process ID specified');
    let status = 0;
    for (const text of operands) {
      if (!/^-?\d+$/.test(text)) {
        await warn(`${quoteName(text)}: invalid process id`);
        status = 1;
      } else if (!call.processes.kill(Number(text), signal)) {
        await warn(`(${text}): No such process`);
        status = 1;
      }
    }
    return status;
  },
});

const matchOptions = {
  full: '-f, --full  use full process name to match',
  exact: '-x, --exact  match exactly with the command name',
  ignoreCase: '-i, --ignore-case  match case insensitively',
  invert: '-v, --inverse  negates the matching',
  newest: '-n, --newest  select most recently started',
  oldest: '-o, --oldest  select least recently started',
  parent: '-P, --parent=PPID  match only child processes of the given parent',
  user: '-u, --euid=ID  match by effective IDs (ignored)',
  count: '-c, --count  count of matching processes',
};

type MatchKey = keyof typeof matchOptions;

interface MatchRequest extends Pick<Invocation, 'call' | 'operands'> {
  readonly options: { has(...keys: MatchKey[]): boolean; value(key: MatchKey): ShellText | undefined };
}

/** Processes whose command matches, but not the one that asks. */
function matching({ call, options, operands }: MatchRequest): ListedProcess[] {
  const [pattern = ''] = operands;
  let regex: Regex;
  try {
    regex = new Regex(pattern, { syntax: 'extended', ignoresCase: options.has('ignoreCase') });
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error;
    throw new ProgramError(error.message, { status: 2 });
  }
  const own = [call.name, ...call.args].join(' ');
  const parents = options.value('parent')?.split(',').map(Number);
  const found = call.processes.list().filter(({ command, ppid }) => {
    if (command === own || (parents && !parents.includes(ppid))) return false;
    const shown = options.has('full') ? command : commandName(command);
    const match = regex.exec(shown);
    const isMatch =
      match !== undefined && (!options.has('exact') || (match.start === 0 && match.end === shown.length));
    return isMatch !== options.has('invert');
  });
  if (options.has('newest'))
    return found.sort((a, b) => b.startedAt - a.startedAt || b.pid - a.pid).slice(0, 1);
  if (options.has('oldest'))
    return found.sort((a, b) => a.startedAt - b.startedAt || a.pid - b.pid).slice(0, 1);
  return found;
}

function commandName(command: ShellText): ShellText {
  const [first = ''] = command.split(' ');
  return first.slice(first.lastIndexOf('/') + 1);
}

export const pgrep: Program = defineProgram({
  usage: '[OPTION]... PATTERN',
  summary: 'Look up processes by name.',
  usageStatus: 2,
  options: {
    ...matchOptions,
    list: '-l, --list-name  list PID and process name',
    all: '-a, --list-full  list PID and full command line',
    delimiter: '-d, --delimiter=STRING  specify output delimiter',
  },
  async run(invocation) {
    const { options, operands, out } = invocation;
    if (operands.length === 0 && !options.has('parent', 'user'))
      throw new UsageError('no matching criteria specified');
    const found = matching(invocation);
    if (options.has('count')) out.add(`${found.length}\n`);
    else {
      const shown = found.map(({ pid, command }) => {
        if (options.has('all')) return `${pid} ${command}`;
        return options.has('list') ? `${pid} ${commandName(command)}` : String(pid);
      });
      if (shown.length > 0) out.add(`${shown.join(options.value('delimiter') ?? '\n')}\n`);
    }
    return found.length > 0 ? 0 : 1;
  },
});

export const pkill: Program = killByName('pkill');
export const killall: Program = killByName('killall');

function killByName(name: 'pkill' | 'killall'): Program {
  return defineProgram({
    usage: '[OPTION]... PATTERN',
    summary: 'Signal processes by name.',
    usageStatus: 2,
    options: {
      ...matchOptions,
      signal: '-s, --signal=SIGNAL  signal to send (either number or name)',
      echo: '-e, --echo  display what is killed',
      quiet: '-q, --quiet  do not complain if no processes were killed',
    },
    rewrite: (args) => withSignal(args, 'fxivnoPuceqs'),
    async run(invocation) {
      const { call, options, operands, out, warn } = invocation;
      if (operands.length === 0) throw new UsageError('no matching criteria specified');
      const signal = signalOf(options.value('signal') ?? 'TERM');
      let isFound = false;
      for (const pattern of name === 'killall' ? operands : operands.slice(0, 1)) {
        const found = matching({
          ...invocation,
          operands: [name === 'killall' ? `^${pattern}$` : pattern],
        });
        for (const { pid, command } of found) {
          if (!call.processes.kill(pid, signal)) continue;
          isFound = true;
          if (options.has('echo')) out.add(`${commandName(command)} killed (pid ${pid})\n`);
        }
        if (found.length === 0 && name === 'killall' && !options.has('quiet'))
          await warn(`${pattern}: no process found`);
      }
      return isFound ? 0 : 1;
    },
  });
}

export const ps: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Report a snapshot of the current processes. All of them are those of the sandbox.',
  options: {
    all: '-e, -A, -a, -x  all processes',
    full: '-f  full-format listing',
    long: '-l  long format (ignored)',
    user: '-u, --user=USERS  select by user (ignored)',
    pid: '-p, --pid=PIDS  select by process ID',
    format: '-o, --format=FORMAT  user-defined format: pid, ppid, comm, args, cmd, etime, stat, user, lstart',
    noHeaders: '--no-headers, --no-heading  print no header line at all',
    sort: '--sort=KEYS  (ignored)',
    wide: '-w  wide output',
  },
  // BSD's letters have no dash.
  rewrite: (args) =>
    args.flatMap((argument) =>
      /^[aefuwx]+$/.test(argument) ? [argument.includes('u') ? '-ef' : '-e'] : [argument],
    ),
  async run({ call, options, out }) {
    const pids = options
      .value('pid')
      ?.split(/[,\s]+/)
      .map(Number);
    const listed = call.processes.list().filter(({ pid }) => pids === undefined || pids.includes(pid));
    const format = options.values('format').join(',');
    const usual = options.has('full') ? 'user,pid,ppid,c,stime,tty,time,cmd' : 'pid,tty,time,comm';
    const columns = (format === '' ? usual : format).split(/[,\s]+/).map((column) => {
      const [key = '', title] = column.split('=');
      return { key, title: title ?? titles.get(key) ?? key.toUpperCase() };
    });
    const rows = listed.map((process) => columns.map(({ key }) => fieldOf(key, process)));
    const hasHeaders = !options.has('noHeaders') && columns.some(({ title }) => title !== '');
    const all = hasHeaders ? [columns.map(({ title }) => title), ...rows] : rows;
    const widths = columns.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
    for (const row of all) {
      const cells = row.map((cell, index) => {
        if (index === row.length - 1) return cell;
        const isRight = rightAligned.has(columns[index]?.key ?? '');
        const width = Math.max(
          widths[index] ?? 0,
          columns[index]?.key === 'pid' || columns[index]?.key === 'ppid' ? 7 : 0,
        );
        return isRight ? cell.padStart(width) : cell.padEnd(width);
      });
      out.add(`${cells.join(' ')}\n`);
    }
    return pids !== undefined && listed.length === 0 ? 1 : 0;

    function fieldOf(key: string, { pid, ppid, command, startedAt }: ListedProcess): string {
      const elapsed = Math.max(Math.floor((Date.now() - startedAt) / 1000), 0);
      switch (key) {
        case 'pid':
          return String(pid);
        case 'ppid':
          return String(ppid);
        case 'comm':
        case 'ucmd':
          return commandName(command);
        case 'args':
        case 'cmd':
        case 'command':
          return command;
        case 'user':
        case 'uname':
        case 'euser':
          return new Accounts(call.files).userName(call.uid);
        case 'uid':
          return String(call.uid);
        case 'etimes':
          return String(elapsed);
        case 'etime':
          return elapsedText(elapsed);
        case 'stime':
        case 'start':
          return formatDate('%H:%M', calendarTime(timestampOf(startedAt), zoneOfCall(call)));
        case 'lstart':
          return formatDate('%a %b %e %H:%M:%S %Y', calendarTime(timestampOf(startedAt), zoneOfCall(call)));
        case 'time':
          return '00:00:00';
        case 'tty':
        case 'tt':
          return '?';
        case 'stat':
        case 's':
        case 'state':
          return 'S';
        default:
          return '0';
      }
    }
  },
});

const titles: ReadonlyMap<string, string> = new Map([
  ['comm', 'CMD'],
  ['args', 'COMMAND'],
  ['command', 'COMMAND'],
  ['etime', 'ELAPSED'],
  ['etimes', 'ELAPSED'],
  ['lstart', 'STARTED'],
  ['user', 'UID'],
  ['tt', 'TTY'],
  ['state', 'S'],
]);
const rightAligned: ReadonlySet<string> = new Set(['pid', 'ppid', 'c', 'etime', 'etimes', 'uid', 'time']);

function elapsedText(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = `${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  if (seconds < 3600) return clock;
  const hours = `${two((seconds % 86_400) / 3600)}:${clock}`;
  return seconds < 86_400 ? hours : `${Math.floor(seconds / 86_400)}-${hours}`;
}

export const uptime: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Tell how long the sandbox has been running.',
  options: { pretty: '-p, --pretty  show uptime in pretty format', since: '-s, --since  system up since' },
  async run({ call, options, out }) {
    const started = Math.min(
      now().seconds,
      ...call.processes.list().map(({ startedAt }) => Math.floor(startedAt / 1000)),
    );
    const minutes = Math.floor((now().seconds - started) / 60);
    const zone = zoneOfCall(call);
    if (options.has('since'))
      out.add(`${formatDate('%F %T', calendarTime({ seconds: started, nanoseconds: 0 }, zone))}\n`);
    else if (options.has('pretty')) out.add(`up ${minutes} minute${minutes === 1 ? '' : 's'}\n`);
    else
      out.add(
        ` ${formatDate('%T', calendarTime(now(), zone))} up ${minutes} min,  1 user,  load average: 0.00, 0.00, 0.00\n`,
      );
    return 0;
  },
});
