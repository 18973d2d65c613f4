import { majorOf, minorOf } from '../../../tree/live/device-number.ts';
import { fileMode, isDevice, isSymlink } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import type { ShellText } from '../../text.ts';
import { calendarTime } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import { Accounts } from '../attributes/accounts.ts';
import { kindOf, modeText } from '../attributes/file-kind.ts';
import { timeOf } from '../attributes/file-times.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { expandEscapes } from '../notation/expand-escapes.ts';
import { pathOf } from '../paths/operands.ts';
import type { Program, ProgramCall } from '../program.ts';
import { zoneOfCall } from '../time/now.ts';

const device = 0x2b;
const blockBytes = 4096;

export const stat: Program = defineProgram({
  usage: '[OPTION]... FILE...',
  summary: 'Display file or file system status.',
  options: {
    dereference: '-L, --dereference  follow links',
    fileSystem: '-f, --file-system  display file system status instead of file status',
    cached: '--cached=MODE  (ignored)',
    format:
      '-c, --format=FORMAT  use the specified FORMAT instead of the default; output a newline after each use',
    printf: '--printf=FORMAT  like --format, but interpret backslash escapes, and do not output a newline',
    terse: '-t, --terse  print the information in terse form',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    if (operands.length === 0) throw new UsageError('missing operand');
    const last = options.last('format', 'printf');
    const given = last === undefined ? undefined : options.value(last);
    const isFileSystem = options.has('fileSystem');
    let status = 0;
    for (const name of operands) {
      const what = isFileSystem
        ? `cannot read file system information for ${quoteName(name)}`
        : `cannot statx ${quoteName(name)}`;
      const isDone = await attempt(invocation, what, () => {
        const path = name === '-' ? '/dev/null' : pathOf(call, name);
        const inode = options.has('dereference') ? call.files.stat(path) : call.files.lstat(path);
        const shown = { call, name, path, inode, accounts: new Accounts(call.files) };
        const usual = isFileSystem
          ? fileSystemFormat
          : options.has('terse')
            ? '%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n'
            : usualFormat(inode);
        const format =
          given === undefined ? usual : last === 'printf' ? expandEscapes(given).text : `${given}\n`;
        out.add(isFileSystem ? formatFileSystem(format, shown) : formatStat(format, shown));
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

const fileSystemFormat = `  File: "%n"
    ID: %-8i Namelen: %-7l Type: %T
Block size: %-10s Fundamental block size: %S
Blocks: Total: %-10b Free: %-10f Available: %a
Inodes: Total: %-10c Free: %d
`;

function usualFormat({ mode }: InodeView): string {
  const third = isDevice(mode) ? 'Device type: %t,%T' : '';
  return `  File: %N
  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F
Device: %Hd,%Ld\tInode: %-11i Links: ${third === '' ? '%h' : '%-5h '}${third}
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: %w
`;
}

interface Shown {
  readonly call: ProgramCall;
  readonly name: ShellText;
  readonly path: ShellText;
  readonly inode: InodeView;
  readonly accounts: Accounts;
}

function formatStat(format: string, shown: Shown): ShellText {
  return expandDirectives(format, (letter) => fieldOf(letter, shown));
}

/** `%-10s`: a directive with flags, width and precision. */
function expandDirectives(format: string, field: (letter: string) => string | undefined): ShellText {
  return format.replace(
    /%([-#0+ ]*)(\d*)(?:\.(\d+))?([HL]?[a-zA-Z%])/g,
    (_whole, flags: string, width: string, precision: string | undefined, letter: string) => {
      if (letter === '%') return '%';
      const value = field(precision !== undefined && 'WXYZ'.includes(letter) ? `${letter}.` : letter);
      if (value === undefined) return '?';
      const alternative = flags.includes('#') && letter === 'a' && value !== '0' ? `0${value}` : value;
      const isNumber = /^-?\d+$/.test(value) || letter === 'a' || letter === 'f';
      const cut = precision === undefined || isNumber ? alternative : cutTo(alternative, precision, letter);
      const size = Math.min(Number(width), 4096);
      if (flags.includes('-')) return cut.padEnd(size);
      return cut.padStart(size, flags.includes('0') && isNumber ? '0' : ' ');
    },
  );
}

function cutTo(value: string, precision: string, letter: string): string {
  if (!'WXYZ'.includes(letter)) return value.slice(0, Number(precision));
  const [seconds = '', fraction = ''] = value.split('.');
  return precision === '0'
    ? seconds
    : `${seconds}.${fraction.slice(0, Number(precision)).padEnd(Number(precision), '0')}`;
}

function fieldOf(letter: string, { call, name, path, inode, accounts }: Shown): string | undefined {
  const time = (key: 'mtime' | 'atime' | 'ctime') =>
    formatDate('%Y-%m-%d %H:%M:%S.%N %z', calendarTime(timeOf(inode, key), zoneOfCall(call)));
  switch (letter) {
    case 'a':
      return (inode.mode & fileMode.permissions).toString(8);
    case 'A':
      return modeText(inode.mode);
    case 'b':
      return String(Math.ceil(inode.allocatedBytes / 512));
    case 'B':
      return '512';
    case 'd':
      return String(device);
    case 'D':
      return device.toString(16);
    case 'Hd':
      return '0';
    case 'Ld':
      return String(device);
    case 'f':
      return inode.mode.toString(16);
    case 'F':
      return kindOf(inode);
    case 'g':
      return String(inode.gid);
    case 'G':
      return accounts.group(inode.gid)?.name ?? 'UNKNOWN';
    case 'h':
      return String(inode.nlink);
    case 'i':
      return String(inode.ino);
    case 'm':
      return '/';
    case 'n':
      return name;
    case 'N':
      return isSymlink(inode.mode)
        ? `${quoteName(name)} -> ${quoteName(call.files.readlink(path))}`
        : quoteName(name);
    case 'o':
      return String(blockBytes);
    case 's':
      return String(inode.sizeBytes);
    case 'r':
      return String(inode.rdev);
    case 'R':
      return inode.rdev.toString(16);
    case 't':
    case 'Hr':
      return letter === 't' ? majorOf(inode.rdev).toString(16) : String(majorOf(inode.rdev));
    case 'T':
    case 'Lr':
      return letter === 'T' ? minorOf(inode.rdev).toString(16) : String(minorOf(inode.rdev));
    case 'u':
      return String(inode.uid);
    case 'U':
      return accounts.user(inode.uid)?.name ?? 'UNKNOWN';
    case 'w':
      return '-';
    case 'W':
      return '0';
    case 'x':
      return time('atime');
    case 'X':
    case 'X.':
      return epoch(inode, 'atime', letter);
    case 'y':
      return time('mtime');
    case 'Y':
    case 'Y.':
      return epoch(inode, 'mtime', letter);
    case 'z':
      return time('ctime');
    case 'Z':
    case 'Z.':
      return epoch(inode, 'ctime', letter);
    default:
      return undefined;
  }
}

/** Seconds; with a fraction where the letter has a dot after it. */
function epoch(inode: InodeView, key: 'mtime' | 'atime' | 'ctime', letter: string): string {
  const { seconds, nanoseconds } = timeOf(inode, key);
  return letter.endsWith('.') ? `${seconds}.${String(nanoseconds).padStart(9, '0')}` : String(seconds);
}

function formatFileSystem(format: string, { call, name }: Shown): ShellText {
  const usage = call.files.tree.usage();
  const freeBlocks = Math.floor((usage.totalBytes - usage.usedBytes) / blockBytes);
  const fields: Readonly<Record<string, string>> = {
    a: String(freeBlocks),
    b: String(Math.floor(usage.totalBytes / blockBytes)),
    c: String(usage.totalInodes),
    d: String(usage.totalInodes - usage.usedInodes),
    f: String(freeBlocks),
    i: '0',
    l: '255',
    n: name,
    s: String(blockBytes),
    S: String(blockBytes),
    t: '1021994',
    T: 'tmpfs',
  };
  return expandDirectives(format, (letter) => (Object.hasOwn(fields, letter) ? fields[letter] : undefined));
}
