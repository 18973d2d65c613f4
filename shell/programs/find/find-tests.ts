import { fileMode, isDirectory, isFile } from '../../../tree/live/file-mode.ts';
import type { Timestamp } from '../../../tree/live/file-tree.ts';
import { matches } from '../../expand/patterns/match-pattern.ts';
import type { ShellText } from '../../text.ts';
import { Accounts } from '../attributes/accounts.ts';
import { type TimeKey, timeOf } from '../attributes/file-times.ts';
import { parseMode } from '../attributes/mode-change.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import { baseName } from '../paths/path-names.ts';
import { Regex } from '../patterns/regex.ts';
import { RegexProblem } from '../patterns/regex-node.ts';
import type { ProgramCall } from '../program.ts';
import { now, zoneOfCall } from '../time/now.ts';
import { parseDate } from '../time/parse-date.ts';
import type { FindSettings, FoundEntry, Predicate } from './find-node.ts';

interface TestContext {
  readonly call: ProgramCall;
  readonly settings: FindSettings;
  /** Times count from the beginning of today (`-daystart`). */
  readonly startsAtMidnight: boolean;
  readonly regexType: 'basic' | 'extended';
  argument(): ShellText;
}

type TestMaker = (context: TestContext, name: ShellText) => Predicate;

const typeLetters: Readonly<Record<string, number>> = {
  f: fileMode.file,
  d: fileMode.directory,
  l: fileMode.symlink,
  p: fileMode.fifo,
  s: fileMode.socket,
  b: fileMode.blockDevice,
  c: fileMode.characterDevice,
};

const byName =
  (ignoreCase: boolean): TestMaker =>
  ({ argument }) => {
    const pattern = argument();
    return ({ name }) => matches(pattern, baseName(name), { ignoreCase });
  };
const byPath =
  (ignoreCase: boolean): TestMaker =>
  ({ argument }) => {
    const pattern = argument();
    return ({ name }) => matches(pattern, name, { ignoreCase });
  };
const byLink =
  (ignoreCase: boolean): TestMaker =>
  ({ argument, call }) => {
    const pattern = argument();
    return ({ path, inode }) =>
      inode.target !== undefined && matches(pattern, call.files.readlink(path), { ignoreCase });
  };
const byRegex =
  (ignoresCase: boolean): TestMaker =>
  ({ argument, regexType }) => {
    const regex = regexOf(argument(), { syntax: regexType, ignoresCase });
    return ({ name }) => {
      const match = regex.exec(name);
      return match !== undefined && match.start === 0 && match.end === name.length;
    };
  };
const byAge =
  (time: TimeKey, unitSeconds: number): TestMaker =>
  ({ argument, startsAtMidnight, call }, name) => {
    const compare = numberTest(argument(), name);
    const moment = now();
    const midnight = parseDate('tomorrow 0:00', { now: moment, zone: zoneOfCall(call) });
    const base = startsAtMidnight && midnight ? midnight.seconds : moment.seconds + moment.nanoseconds / 1e9;
    return ({ inode }) => {
      const { seconds, nanoseconds } = timeOf(inode, time);
      return compare(Math.floor((base - seconds - nanoseconds / 1e9) / unitSeconds));
    };
  };
const newer =
  (own: TimeKey, other: TimeKey | 'date'): TestMaker =>
  ({ argument, call }) => {
    const text = argument();
    const reference = referenceTime(call, text, other);
    return ({ inode }) => isLater(timeOf(inode, own), reference);
  };
const byNumber =
  (of: (entry: FoundEntry) => number): TestMaker =>
  ({ argument }, name) => {
    const compare = numberTest(argument(), name);
    return (entry) => compare(of(entry));
  };
const always =
  (value: boolean): TestMaker =>
  () =>
  () =>
    value;

/** Tests by name. Each takes its arguments and answers what it looks for. */
export const findTests: Readonly<Record<string, TestMaker>> = {
  '-name': byName(false),
  '-iname': byName(true),
  '-path': byPath(false),
  '-wholename': byPath(false),
  '-ipath': byPath(true),
  '-iwholename': byPath(true),
  '-lname': byLink(false),
  '-ilname': byLink(true),
  '-regex': byRegex(false),
  '-iregex': byRegex(true),
  '-amin': byAge('atime', 60),
  '-cmin': byAge('ctime', 60),
  '-mmin': byAge('mtime', 60),
  '-atime': byAge('atime', 86_400),
  '-ctime': byAge('ctime', 86_400),
  '-mtime': byAge('mtime', 86_400),
  '-newer': newer('mtime', 'mtime'),
  '-anewer': newer('atime', 'mtime'),
  '-cnewer': newer('ctime', 'mtime'),
  '-newermt': newer('mtime', 'date'),
  '-newerat': newer('atime', 'date'),
  '-newerct': newer('ctime', 'date'),
  '-newermm': newer('mtime', 'mtime'),
  '-inum': byNumber(({ inode }) => inode.ino),
  '-links': byNumber(({ inode }) => inode.nlink),
  '-true': always(true),
  '-false': always(false),
  '-readable': always(true),
  '-writable': always(true),
  '-nouser': ({ call }) => {
    const accounts = new Accounts(call.files);
    return ({ inode }) => accounts.user(inode.uid) === undefined;
  },
  '-nogroup': ({ call }) => {
    const accounts = new Accounts(call.files);
    return ({ inode }) => accounts.group(inode.gid) === undefined;
  },
  '-executable':
    () =>
    ({ inode }) =>
      isDirectory(inode.mode) || (inode.mode & 0o111) !== 0,
  '-empty':
    ({ call }) =>
    ({ inode, path }) => {
      if (isDirectory(inode.mode)) return call.files.readdir(path).length === 0;
      return isFile(inode.mode) && inode.sizeBytes === 0;
    },
  '-type': (context, name) => {
    const types = typesOf(context.argument(), name);
    return ({ inode }) => types.includes(inode.mode & fileMode.typeMask);
  },
  '-xtype': (context, name) => {
    const types = typesOf(context.argument(), name);
    return ({ inode, path }) => {
      const { files } = context.call;
      const mode = inode.target !== undefined && files.exists(path) ? files.stat(path).mode : inode.mode;
      return types.includes(mode & fileMode.typeMask);
    };
  },
  '-size': ({ argument }) => {
    const text = argument();
    const [, number = '', unit = 'b'] = /^([-+]?\d+)([bcwkMG]?)$/.exec(text) ?? [];
    if (number === '') throw new ProgramError(`Invalid argument \`${text}' to -size`);
    const units = { b: 512, c: 1, w: 2, k: 1024, M: 2 ** 20, G: 2 ** 30 };
    const bytes = units[(unit || 'b') as keyof typeof units];
    const compare = numberTest(number, '-size');
    return ({ inode }) => compare(Math.ceil(inode.sizeBytes / bytes));
  },
  '-perm': ({ argument }) => permissionTest(argument()),
  '-user': ({ argument, call }) => {
    const name = argument();
    const uid =
      new Accounts(call.files).userNamed(name)?.uid ?? (/^\d+$/.test(name) ? Number(name) : undefined);
    if (uid === undefined) throw new ProgramError(`${quoteName(name)} is not the name of a known user`);
    return ({ inode }) => inode.uid === uid;
  },
  '-group': ({ argument, call }) => {
    const name = argument();
    const gid =
      new Accounts(call.files).groupNamed(name)?.gid ?? (/^\d+$/.test(name) ? Number(name) : undefined);
    if (gid === undefined) throw new ProgramError(`${quoteName(name)} is not the name of an existing group`);
    return ({ inode }) => inode.gid === gid;
  },
  '-uid': byNumber(({ inode }) => inode.uid),
  '-gid': byNumber(({ inode }) => inode.gid),
  '-samefile': ({ argument, call }) => {
    const { ino } = call.files.lstat(pathOf(call, argument()));
    return ({ inode }) => inode.ino === ino;
  },
  '-fstype': ({ argument }) => {
    const type = argument();
    return () => type === 'tmpfs';
  },
};

/** `+5`, `-5`, `5` */
function numberTest(text: ShellText, name: ShellText): (value: number) => boolean {
  const [, sign, digits] = /^([-+]?)(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (digits === undefined) throw new ProgramError(`invalid argument \`${text}' to \`${name}'`);
  const number = Number(digits);
  if (sign === '+') return (value) => value > number;
  if (sign === '-') return (value) => value < number;
  return (value) => value === number;
}

function typesOf(text: ShellText, name: ShellText): number[] {
  return text.split(',').map((letter) => {
    const type = Object.hasOwn(typeLetters, letter) ? typeLetters[letter] : undefined;
    if (type === undefined) throw new ProgramError(`Unknown argument to ${name}: ${letter}`);
    return type;
  });
}

function permissionTest(text: ShellText): Predicate {
  const sign = /^[-/]/.test(text) ? text[0] : '';
  const change = parseMode(sign === '' ? text : text.slice(1));
  if (change === undefined) throw new ProgramError(`invalid mode ${quoteName(text)}`);
  const wanted = change(0, { isDirectory: false, umask: 0 });
  if (sign === '-') return ({ inode }) => (inode.mode & wanted) === wanted;
  if (sign === '/') return ({ inode }) => wanted === 0 || (inode.mode & wanted) !== 0;
  return ({ inode }) => (inode.mode & fileMode.permissions) === wanted;
}

function referenceTime(call: ProgramCall, text: ShellText, kind: TimeKey | 'date'): Timestamp {
  if (kind !== 'date') return timeOf(call.files.stat(pathOf(call, text)), kind);
  const time = parseDate(text, { now: now(), zone: zoneOfCall(call) });
  if (time === undefined)
    throw new ProgramError(`I cannot figure out how to interpret ${quoteName(text)} as a date or time`);
  return time;
}

function isLater(a: Timestamp, b: Timestamp): boolean {
  return a.seconds > b.seconds || (a.seconds === b.seconds && a.nanoseconds > b.nanoseconds);
}

function regexOf(pattern: ShellText, options: { syntax: 'basic' | 'extended'; ignoresCase: boolean }): Regex {
  try {
    return new Regex(pattern, options);
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error;
    throw new ProgramError(`failed to compile regular expression '${pattern}': ${error.message}`);
  }
}
