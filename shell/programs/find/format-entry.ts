import { fileMode, isSymlink } from '../../../tree/live/file-mode.ts';
import type { ShellText } from '../../text.ts';
import { calendarTime } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import { Accounts } from '../attributes/accounts.ts';
import { modeText } from '../attributes/file-kind.ts';
import { type TimeKey, timeOf } from '../attributes/file-times.ts';
import { expandEscapes } from '../notation/expand-escapes.ts';
import { baseName, directoryName } from '../paths/path-names.ts';
import type { ProgramCall } from '../program.ts';
import { now, zoneOfCall } from '../time/now.ts';
import type { FoundEntry } from './find-node.ts';

const typeNames = new Map<number, string>([
  [fileMode.file, 'f'],
  [fileMode.directory, 'd'],
  [fileMode.symlink, 'l'],
  [fileMode.fifo, 'p'],
  [fileMode.socket, 's'],
  [fileMode.blockDevice, 'b'],
  [fileMode.characterDevice, 'c'],
]);

const times: Readonly<Record<string, TimeKey>> = {
  A: 'atime',
  a: 'atime',
  C: 'ctime',
  c: 'ctime',
  T: 'mtime',
  t: 'mtime',
};

/** What `-printf` prints of an entry. */
export function formatEntry(format: ShellText, entry: FoundEntry, call: ProgramCall): ShellText {
  const accounts = new Accounts(call.files);
  const { text } = expandEscapes(format.replaceAll('%%', '%\0'));
  return text.replace(
    /%([-#0+ ]*\d*(?:\.\d+)?)(?:([ACT])([\s\S])|([\s\S]))/g,
    (whole, flags: string, which, directive, letter) => {
      if (letter === '\0') return '%';
      const value =
        which === undefined
          ? fieldOf(letter, { entry, call, accounts })
          : timeField(entry, call, { key: times[which] ?? 'mtime', directive });
      if (value === undefined) return whole;
      const width = Number(/\d+/.exec(flags.replace(/\.\d+$/, ''))?.[0] ?? 0);
      const cut = /\.(\d+)$/.exec(flags)?.[1];
      const shown = cut === undefined ? value : value.slice(0, Number(cut));
      if (flags.includes('-')) return shown.padEnd(width);
      return shown.padStart(width, /^[ +#]*0/.test(flags) ? '0' : ' ');
    },
  );
}

function timeField(
  entry: FoundEntry,
  call: ProgramCall,
  { key, directive }: { key: TimeKey; directive: string },
): string {
  const time = timeOf(entry.inode, key);
  const fraction = `${String(time.nanoseconds).padStart(9, '0')}0`;
  if (directive === '@') return `${time.seconds}.${fraction}`;
  const shown = calendarTime(time, zoneOfCall(call));
  if (directive === '+') return formatDate(`%Y-%m-%d+%H:%M:%S.${fraction}`, shown);
  if (directive === 'S') return formatDate(`%S.${fraction}`, shown);
  if (directive === 'T' || directive === 'X') return formatDate(`%H:%M:%S.${fraction}`, shown);
  return formatDate(`%${directive}`, shown);
}

function fieldOf(
  letter: string,
  { entry, call, accounts }: { entry: FoundEntry; call: ProgramCall; accounts: Accounts },
): string | undefined {
  const { inode, name, start, path, depth } = entry;
  const below = name.slice(start.length).replace(/^\//, '');
  switch (letter) {
    case 'a':
    case 'c':
    case 't': {
      const time = timeOf(inode, times[letter] ?? 'mtime');
      return formatDate(
        `%a %b %e %H:%M:%S.${String(time.nanoseconds).padStart(9, '0')}0 %Y`,
        calendarTime(time, zoneOfCall(call)),
      );
    }
    case 'b':
      return String(Math.ceil(inode.allocatedBytes / 512));
    case 'd':
      return String(depth);
    case 'D':
      return '43';
    case 'f':
      return baseName(name) || name;
    case 'F':
      return 'tmpfs';
    case 'g':
      return accounts.groupName(inode.gid);
    case 'G':
      return String(inode.gid);
    case 'h':
      return name.includes('/') ? directoryName(name) : '.';
    case 'H':
      return start;
    case 'i':
      return String(inode.ino);
    case 'k':
      return String(Math.ceil(inode.allocatedBytes / 1024));
    case 'l':
      return isSymlink(inode.mode) ? call.files.readlink(path) : '';
    case 'm':
      return (inode.mode & fileMode.permissions).toString(8);
    case 'M':
      return modeText(inode.mode);
    case 'n':
      return String(inode.nlink);
    case 'p':
      return name;
    case 'P':
      return below;
    case 's':
      return String(inode.sizeBytes);
    case 'S':
      return inode.sizeBytes === 0
        ? '1'
        : String(Number(((Math.ceil(inode.allocatedBytes / 512) * 512) / inode.sizeBytes).toPrecision(6)));
    case 'u':
      return accounts.userName(inode.uid);
    case 'U':
      return String(inode.uid);
    case 'y':
      return typeNames.get(inode.mode & fileMode.typeMask) ?? 'U';
    case 'Y': {
      const target = isSymlink(inode.mode) && call.files.exists(path) ? call.files.stat(path) : inode;
      return isSymlink(target.mode) ? 'N' : (typeNames.get(target.mode & fileMode.typeMask) ?? 'U');
    }
    default:
      return undefined;
  }
}

const halfYearSeconds = 15_778_476;

/** A line of `-ls`. */
export function listingLine(entry: FoundEntry, call: ProgramCall): ShellText {
  const { inode, name, path } = entry;
  const accounts = new Accounts(call.files);
  const time = timeOf(inode, 'mtime');
  const isRecent = now().seconds - time.seconds < halfYearSeconds;
  const date = formatDate(isRecent ? '%b %e %H:%M' : '%b %e  %Y', calendarTime(time, zoneOfCall(call)));
  const target = isSymlink(inode.mode) ? ` -> ${call.files.readlink(path)}` : '';
  return [
    String(inode.ino).padStart(9),
    String(Math.ceil(inode.allocatedBytes / 1024)).padStart(6),
    modeText(inode.mode),
    String(inode.nlink).padStart(3),
    accounts.userName(inode.uid).padEnd(8),
    accounts.groupName(inode.gid).padEnd(8),
    String(inode.sizeBytes).padStart(8),
    date,
    `${name}${target}\n`,
  ].join(' ');
}
