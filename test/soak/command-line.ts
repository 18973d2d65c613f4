import { parseArgs } from 'node:util';

export type Command =
  | { readonly type: 'help' }
  | { readonly type: 'live'; readonly rewinds: number; readonly seed: number; readonly minutes: number }
  | { readonly type: 'bridge'; readonly seed: number; readonly minutes: number }
  | { readonly type: 'folder'; readonly seed: number; readonly minutes: number };

const mostRewinds = 1_000_000;
const usualMinutes = { live: 'Infinity', bridge: '60', folder: '60' } as const;

export const usage = `Usage: npm run soak -- live|bridge|folder [options]

live: rewinds and forks a busy machine at random, for long, and holds everything against it that can be known: all of its
RAM after each checkpoint, rewind and fork, what it prints against a run that nobody interrupted, and that it goes on.
The last line says how many rewinds and forks there were, how many bytes differed, and how often the machine hung.

bridge: kills bridges and processes in their jails, restarts them and fills their disk at random, while programs write
through mappings and archives come in, good ones and hostile ones. What a bridge acknowledged is noted outside of it, and
the next one is held to it. Needs root. The last lines say what was done, and what was lost.

folder: a person and an agent work in a plain folder with a history, and undo, do again, go to snapshots, are killed, fill
disks, mount and ignore at random. After each round every byte has to be on disk or in a snapshot, and HEAD what the disk
is. A folder that loses one is reported with the seed that repeats it, and the next folder is begun. Root mounts and fills disks, too.

Options
  --rewinds N    how many, of live (default: 10000)
  --minutes M    begin no more of them after so long (default: no end; of bridge and folder 60)
  --seed N       what is done when; printed at the start, so that a run can be repeated
  --help         this text
`;

/** Reads the command line, without the program's name. @throws RangeError or TypeError that says what is wrong */
export function parseCommandLine(argv: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      rewinds: { type: 'string', default: '10000' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
    },
    allowPositionals: true,
  });
  if (values.help || positionals.length === 0) return { type: 'help' };
  const [what, surplus] = positionals;
  if (!isSoak(what) || surplus !== undefined) {
    throw new RangeError(`There is no soak "${positionals.join(' ')}"; try --help`);
  }
  const { rewinds, seed = String(Math.floor(Math.random() * mostRewinds)), minutes } = values;
  const chosen = { seed: whole('seed', seed), minutes: positive('minutes', minutes ?? usualMinutes[what]) };
  return what === 'live'
    ? { type: what, rewinds: whole('rewinds', rewinds), ...chosen }
    : { type: what, ...chosen };
}

function isSoak(what: string | undefined): what is keyof typeof usualMinutes {
  return what !== undefined && Object.hasOwn(usualMinutes, what);
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= mostRewinds) return value;
  throw new RangeError(`--${name} is ${text}, not a number from 0 to ${mostRewinds}`);
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new RangeError(`--${name} is ${text}, not a number above 0`);
}
