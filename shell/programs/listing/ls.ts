import { isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import { matches } from '../../expand/patterns/match-pattern.ts';
import { absolutePath } from '../../files/tree-files.ts';
import type { ShellText } from '../../text.ts';
import { Accounts } from '../attributes/accounts.ts';
import { attempt, defineProgram, type Invocation } from '../command-line/define-program.ts';
import type { ParsedOptions } from '../command-line/parse-options.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteIfNeeded, quoteName } from '../messages/quote-name.ts';
import { humanSize } from '../notation/human-size.ts';
import { joinPath } from '../paths/path-names.ts';
import type { Program } from '../program.ts';
import { Steps } from '../streams/steps.ts';
import { now, zoneOfCall } from '../time/now.ts';
import { formatEntries, type ListStyle } from './format-entries.ts';
import { type SortKey, sortEntries } from './sort-entries.ts';

/** A name in a listing. */
interface ListedFile {
  readonly name: ShellText;
  /** Absolute. */
  readonly path: ShellText;
  readonly inode: InodeView;
}

const options = {
  all: '-a, --all  do not ignore entries starting with .',
  almostAll: '-A, --almost-all  do not list implied . and ..',
  escape: '-b, --escape  print C-style escapes for nongraphic characters',
  backups: '-B, --ignore-backups  do not list implied entries ending with ~',
  changeTime: '-c  with -lt: sort by, and show, ctime; with -l: show ctime and sort by name',
  columns: '-C  list entries by columns',
  color: '--color[=WHEN]  (ignored)',
  directory: '-d, --directory  list directories themselves, not their contents',
  unsorted: '-f  list all entries in directory order',
  classify: '-F, --classify[=WHEN]  append indicator (one of */=>@|) to entries',
  fileType: "--file-type  likewise, except do not append '*'",
  format: '--format=WORD  across -x, commas -m, long -l, single-column -1, verbose -l, vertical -C',
  fullTime: '--full-time  like -l --time-style=full-iso',
  noOwner: '-g  like -l, but do not list owner',
  directoriesFirst: '--group-directories-first  group directories before files',
  noGroup: "-G, --no-group  in a long listing, don't print group names",
  human: '-h, --human-readable  with -l and -s, print sizes like 1K 234M 2G etc.',
  si: '--si  likewise, but use powers of 1000 not 1024',
  operandLinks: '-H, --dereference-command-line  follow symbolic links listed on the command line',
  hide: '--hide=PATTERN  do not list implied entries matching shell PATTERN',
  indicator: '--indicator-style=WORD  append indicator with style WORD: none, slash, file-type, classify',
  inode: '-i, --inode  print the index number of each file',
  ignore: '-I, --ignore=PATTERN  do not list implied entries matching shell PATTERN',
  kibibytes: '-k, --kibibytes  default to 1024-byte blocks',
  long: '-l  use a long listing format',
  dereference: '-L, --dereference  show information for the file a symbolic link references',
  commas: '-m  fill width with a comma separated list of entries',
  numeric: '-n, --numeric-uid-gid  like -l, but list numeric user and group IDs',
  literal: '-N, --literal  print entry names without quoting',
  longNoGroup: '-o  like -l, but do not list group information',
  slash: '-p  append / indicator to directories',
  hideControls: '-q, --hide-control-chars  print ? instead of nongraphic characters',
  quoteNames: '-Q, --quote-name  enclose entry names in double quotes',
  quoting: '--quoting-style=WORD  use quoting style WORD for entry names: literal, shell, c, escape',
  reverse: '-r, --reverse  reverse order while sorting',
  recursive: '-R, --recursive  list subdirectories recursively',
  blocks: '-s, --size  print the allocated size of each file, in blocks',
  size: '-S  sort by file size, largest first',
  sort: '--sort=WORD  sort by WORD instead of name: none, size, time, version, extension',
  timeWord: '--time=WORD  select which timestamp is used: atime, ctime, mtime',
  timeStyle: '--time-style=TIME_STYLE  time/date format with -l: full-iso, long-iso, iso, locale, or +FORMAT',
  time: '-t  sort by time, newest first',
  accessTime: '-u  with -lt: sort by, and show, access time',
  none: '-U  do not sort; list entries in directory order',
  versionSort: '-v  natural sort of (version) numbers within text',
  width: '-w, --width=COLS  set output width to COLS',
  across: '-x  list entries by lines instead of by columns',
  extension: '-X  sort alphabetically by entry extension',
  single: '-1  list one file per line',
};

type Key = keyof typeof options;

export const ls: Program = listProgram('single-column');
/** `ls -C`, which lists columns whatever it prints to. */
export const dir: Program = listProgram('vertical');
/** `ls -l` */
export const vdir: Program = listProgram('long');

function listProgram(format: ListStyle['format']): Program {
  return defineProgram({
    usage: '[OPTION]... [FILE]...',
    summary: 'List information about the FILEs (the current directory by default).',
    options,
    usageStatus: 2,
    run: (invocation) => list(invocation, format),
  });
}

async function list(invocation: Invocation<Key>, format: ListStyle['format']): Promise<number> {
  const { call, options: given, operands, out } = invocation;
  const style = styleOf(invocation, format);
  const sort = {
    key: sortKeyOf(given, style),
    time: style.time,
    isReversed: given.has('reverse'),
    directoriesFirst: given.has('directoriesFirst'),
  };
  const follow = given.last('dereference', 'operandLinks');
  const files: ListedFile[] = [];
  const directories: ListedFile[] = [];
  const steps = new Steps(call.signal);
  let status = 0;
  for (const name of operands.length > 0 ? operands : ['.']) {
    const path = absolutePath(call.cwd, name);
    const isDone = await attempt(invocation, `cannot access ${quoteName(name)}`, () => {
      const itself = call.files.lstat(path);
      const goesThrough =
        follow !== undefined || (style.format !== 'long' && !given.has('directory', 'classify'));
      const inode =
        isSymlink(itself.mode) && goesThrough && call.files.exists(path) ? call.files.stat(path) : itself;
      const isListed = isDirectory(inode.mode) && !given.has('directory');
      (isListed ? directories : files).push({ name, path, inode });
    });
    if (!isDone) status = 2;
  }
  if (files.length > 0) out.add(formatEntries(sortEntries(files, sort), style));
  const hasHeaders = operands.length > 1 || given.has('recursive');
  let isFirst = files.length === 0;
  const waiting = sortEntries(directories, { ...sort, directoriesFirst: false }).reverse();
  for (let directory = waiting.pop(); directory; directory = waiting.pop()) {
    await steps.next();
    const { name, path, inode } = directory;
    const isDone = await attempt(invocation, `cannot open directory ${quoteName(name)}`, async () => {
      const entries = entriesOf(invocation, { name, path, inode }, style.followsAll);
      const sorted = sortEntries(entries, sort);
      if (hasHeaders) out.add(`${isFirst ? '' : '\n'}${style.quote(name)}:\n`);
      isFirst = false;
      if (style.format === 'long' || style.showsBlocks) {
        const bytes = entries.reduce((sum, entry) => sum + entry.inode.allocatedBytes, 0);
        out.add(`total ${style.blocks(bytes)}\n`);
      }
      await out.write(formatEntries(sorted, style));
      if (!given.has('recursive')) return;
      const below = sorted.filter(
        (entry) => isDirectory(entry.inode.mode) && !['.', '..'].includes(entry.name),
      );
      for (const entry of below.reverse()) waiting.push({ ...entry, name: joinPath(name, entry.name) });
    });
    if (!isDone) status = Math.max(status, 1);
  }
  return status;
}

function entriesOf(
  { call, options: given }: Pick<Invocation<Key>, 'call' | 'options'>,
  directory: ListedFile,
  follow: boolean,
): ListedFile[] {
  const showsAll = given.last('all', 'almostAll', 'unsorted');
  const ignored = given.values('ignore');
  const hidden = showsAll === undefined ? given.values('hide') : [];
  const entries: ListedFile[] = [];
  const add = (name: ShellText, path: ShellText) => {
    const itself = call.files.lstat(path);
    const isFollowed = follow && isSymlink(itself.mode) && call.files.exists(path);
    entries.push({ name, path, inode: isFollowed ? call.files.stat(path) : itself });
  };
  if (showsAll === 'all' || showsAll === 'unsorted') {
    add('.', directory.path);
    add('..', joinPath(directory.path, '..'));
  }
  for (const name of call.files.readdir(directory.path)) {
    if (showsAll === undefined && name.startsWith('.')) continue;
    if (given.has('backups') && name.endsWith('~')) continue;
    if ([...ignored, ...hidden].some((pattern) => matches(pattern, name))) continue;
    add(name, joinPath(directory.path, name));
  }
  return entries;
}

const formats: Readonly<Record<string, ListStyle['format']>> = {
  across: 'across',
  horizontal: 'across',
  commas: 'commas',
  long: 'long',
  verbose: 'long',
  'single-column': 'single-column',
  vertical: 'vertical',
};

function styleOf({ call, options: given }: Invocation<Key>, usual: ListStyle['format']): ListStyle {
  let format = usual;
  for (const { key, value } of given.given) {
    if (['long', 'noOwner', 'longNoGroup', 'numeric', 'fullTime'].includes(key)) format = 'long';
    else if (key === 'columns') format = 'vertical';
    else if (key === 'across' || key === 'commas') format = key;
    else if (key === 'single' && format !== 'long') format = 'single-column';
    else if (key === 'format') format = wordOf(formats, value ?? '', '--format');
  }
  const indicators = { none: '', slash: 'slash', 'file-type': 'file-type', classify: 'classify' } as const;
  const last = given.last('classify', 'fileType', 'slash', 'indicator');
  const word = given.value('indicator') ?? '';
  const indicator =
    last === 'indicator'
      ? wordOf(indicators, word, '--indicator-style')
      : last === 'fileType'
        ? 'file-type'
        : last;
  const size = given.last('human', 'si', 'kibibytes');
  const timeWord = given.value('timeWord') ?? '';
  const isAccess = given.has('accessTime') || ['atime', 'access', 'use'].includes(timeWord);
  const isChange = given.has('changeTime') || ['ctime', 'status'].includes(timeWord);
  const quoting = given.last('quoteNames', 'escape', 'literal', 'hideControls', 'quoting');
  return {
    format,
    files: call.files,
    accounts: new Accounts(call.files),
    now: now(),
    zone: zoneOfCall(call),
    time: isChange ? 'ctime' : isAccess ? 'atime' : 'mtime',
    timeStyle: given.has('fullTime')
      ? 'full-iso'
      : (given.value('timeStyle') ?? call.environment.get('TIME_STYLE') ?? 'locale'),
    showsInode: given.has('inode'),
    showsBlocks: given.has('blocks'),
    showsOwner: !given.has('noOwner'),
    showsGroup: !given.has('noGroup', 'longNoGroup'),
    isNumeric: given.has('numeric'),
    followsAll: given.has('dereference'),
    sizes: size === 'human' ? 1024 : size === 'si' ? 1000 : undefined,
    indicator: indicator === '' ? undefined : indicator,
    width: Number(given.value('width') ?? call.environment.get('COLUMNS') ?? 80),
    quote: quoterOf(quoting === 'quoting' ? given.value('quoting') : quoting),
    blocks: (bytes) =>
      size === 'human' || size === 'si' ? human(bytes, size) : String(Math.ceil(bytes / 1024)),
  };
}

function human(bytes: number, size: 'human' | 'si'): string {
  return humanSize(bytes, size === 'si' ? 1000 : 1024);
}

function sortKeyOf(given: ParsedOptions<Key>, style: ListStyle): SortKey {
  const last = given.last('time', 'size', 'none', 'versionSort', 'extension', 'sort', 'unsorted');
  const words = {
    none: 'none',
    size: 'size',
    time: 'time',
    version: 'version',
    extension: 'extension',
  } as const;
  if (last === 'sort') return wordOf(words, given.value('sort') ?? '', '--sort');
  if (last === 'unsorted') return 'none';
  if (last === 'versionSort') return 'version';
  if (last !== undefined) return last;
  const selectsTime = given.has('accessTime', 'changeTime', 'timeWord');
  return selectsTime && style.format !== 'long' ? 'time' : 'name';
}

function wordOf<T>(words: Readonly<Record<string, T>>, wanted: string, option: string): T {
  const found = Object.entries(words).find(([word]) => wanted !== '' && word.startsWith(wanted));
  if (found) return found[1];
  const valid = Object.keys(words).map((word) => `\n  - '${word}'`);
  throw new UsageError(
    `invalid argument ${quoteName(wanted)} for '${option}'\nValid arguments are:${valid.join('')}`,
  );
}

function quoterOf(style: string | undefined): (name: ShellText) => ShellText {
  switch (style) {
    case 'quoteNames':
    case 'c':
      return (name) => `"${escapeNames(name, '"')}"`;
    case 'escape':
      return (name) => escapeNames(name, ' ');
    case 'hideControls':
      return (name) => name.replaceAll(/\p{Cc}/gu, '?');
    case 'shell':
    case 'shell-escape':
      return quoteIfNeeded;
    case 'shell-always':
    case 'shell-escape-always':
      return quoteName;
    default:
      return (name) => name;
  }
}

function escapeNames(name: ShellText, also: string): ShellText {
  return JSON.stringify(name)
    .slice(1, -1)
    .replaceAll('\\"', also === '"' ? '\\"' : '"')
    .replaceAll(' ', also === ' ' ? '\\ ' : ' ');
}
