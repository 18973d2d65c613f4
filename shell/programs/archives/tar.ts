import { Gunzip, Gzip } from 'fflate';
import { TarParser } from '../../../tree/tar/tar-parser.ts';
import { OpenTreeFile } from '../../files/open-tree-file.ts';
import { absolutePath } from '../../files/tree-files.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import { decodeText, encodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';
import { heldLines } from '../streams/held-lines.ts';
import { openInput, openOutput, pieces, readInput } from '../streams/input.ts';
import { now, zoneOfCall } from '../time/now.ts';
import { parseDate } from '../time/parse-date.ts';
import { type ExtractStyle, MemberExtractor } from './extract-members.ts';
import { TarWriter } from './tar-members.ts';

const options = {
  create: '-c, --create  create a new archive',
  extract: '-x, --extract, --get  extract files from an archive',
  list: '-t, --list  list the contents of an archive',
  append: '-r, --append  append files to the end of an archive (not supported)',
  update: '-u, --update  only append files newer than copy in archive (not supported)',
  concatenate: '-A, --catenate, --concatenate  append tar files to an archive (not supported)',
  compare: '-d, --diff, --compare  find differences between archive and file system (not supported)',
  delete: '--delete  delete from the archive (not supported)',
  file: '-f, --file=ARCHIVE  use archive file or device ARCHIVE',
  directory: '-C, --directory=DIR  change to directory DIR',
  gzip: '-z, --gzip, --gunzip, --ungzip  filter the archive through gzip',
  bzip2: '-j, --bzip2  filter the archive through bzip2 (not supported)',
  xz: '-J, --xz  filter the archive through xz (not supported)',
  zstd: '--zstd  filter the archive through zstd (not supported)',
  auto: '-a, --auto-compress  use archive suffix to determine the compression program',
  verbose: '-v, --verbose  verbosely list files processed',
  stdout: '-O, --to-stdout  extract files to standard output',
  keep: "-k, --keep-old-files  don't replace existing files when extracting",
  overwrite: '--overwrite  overwrite existing files when extracting',
  permissions: '-p, --preserve-permissions, --same-permissions  extract information about file permissions',
  noPermissions: "--no-same-permissions  apply the user's umask when extracting permissions",
  sameOwner: '--same-owner  try extracting files with the same ownership as exists in the archive',
  noOwner: '--no-same-owner  extract files as yourself',
  touch: "-m, --touch  don't extract file modified time",
  strip: '--strip-components=NUMBER  strip NUMBER leading components from file names on extraction',
  exclude: '--exclude=PATTERN  exclude files, given as a PATTERN',
  excludeFrom: '-X, --exclude-from=FILE  exclude patterns listed in FILE',
  filesFrom: '-T, --files-from=FILE  get names to extract or create from FILE',
  null: '--null  -T reads null-terminated names',
  dereference: '-h, --dereference  follow symlinks; archive and dump the files they point to',
  wildcards: '--wildcards  use wildcards',
  owner: '--owner=NUMBER  force NUMBER as owner for added files',
  group: '--group=NUMBER  force NUMBER as group for added files',
  mtime: '--mtime=DATE  set mtime for added files from DATE',
  numeric: '--numeric-owner  always use numbers for user/group names',
  sort: '--sort=ORDER  (ignored)',
  delay: '--delay-directory-restore  (always so)',
  warning: '--warning=KEYWORD  (ignored)',
  format: '-H, --format=FORMAT  (ignored: pax)',
  absolute: "-P, --absolute-names  don't strip leading `/'s from file names",
};

type Key = keyof typeof options;

/** They change an archive in its place, or compare it. */
const unsupportedActions = ['append', 'update', 'concatenate', 'compare', 'delete'] as const;
/** Letters of the old form whose arguments follow in order. */
const withArgument = 'fCXTH';

export const tar: Program = defineProgram({
  usage: '[OPTION...] [FILE]...',
  summary: 'Save many files together into a single archive, and restore individual files from it.',
  usageStatus: 64,
  options,
  rewrite: (args) => {
    const [first = '', ...rest] = args;
    if (!/^[a-zA-Z]+$/.test(first)) return args;
    const left = [...rest];
    const expanded = [...first].flatMap((letter) =>
      withArgument.includes(letter) ? [`-${letter}`, left.shift() ?? ''] : [`-${letter}`],
    );
    return [...expanded, ...left];
  },
  async run(invocation) {
    const { call, options: given } = invocation;
    const refused = given.last(...unsupportedActions);
    if (refused !== undefined) {
      const why = `--${refused} is not supported: extract the archive, change the files and create it again`;
      throw new ProgramError(why, { status: 2 });
    }
    const action = given.last('create', 'extract', 'list');
    if (action === undefined) {
      throw new ProgramError("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options", {
        status: 2,
        isUsage: true,
      });
    }
    const archive = given.value('file') ?? '-';
    const other =
      given.last('bzip2', 'xz', 'zstd') ??
      (/\.(bz2|xz|zst)$/.exec(archive)?.[1] && given.has('auto') ? 'xz' : undefined);
    if (other !== undefined) throw new ProgramError('only gzip is supported for compression', { status: 2 });
    try {
      const status =
        action === 'create'
          ? await create(invocation, archive)
          : await extract(invocation, archive, action === 'list');
      if (status !== 0) await invocation.warn('Exiting with failure status due to previous errors');
      return status;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const isNoArchive = /checksum|ends early/.test(error.message);
      await invocation.warn(isNoArchive ? 'This does not look like a tar archive' : error.message);
      await invocation.warn('Exiting with failure status due to previous errors');
      return 2;
    } finally {
      call.signal.throwIfAborted();
    }
  },
});

/** Operands, with the directory that each is in: `-C` holds for what follows it. */
async function membersOf({
  call,
  options: given,
  operands,
}: Invocation<Key>): Promise<{ names: readonly ShellText[]; directory: ShellText }> {
  const names = [...operands];
  for (const file of given.values('filesFrom')) {
    const separator = given.has('null') ? '\0' : '\n';
    for (const name of heldLines(decodeText(await readInput(call, file)), separator))
      if (name !== '') names.push(name);
  }
  let directory = call.cwd;
  for (const name of given.values('directory')) {
    directory = absolutePath(directory, name);
    if (!call.files.exists(directory))
      throw new ProgramError(
        `${name}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now`,
        { status: 2 },
      );
  }
  return { names, directory };
}

async function excludedOf({ call, options: given }: Invocation<Key>): Promise<ShellText[]> {
  const excluded = [...given.values('exclude')];
  for (const file of given.values('excludeFrom'))
    for (const line of heldLines(decodeText(await readInput(call, file))))
      if (line !== '') excluded.push(line);
  return excluded;
}

async function create(invocation: Invocation<Key>, archive: ShellText): Promise<number> {
  const { call, options: given, out } = invocation;
  const { names, directory } = await membersOf(invocation);
  if (names.length === 0)
    throw new ProgramError('Cowardly refusing to create an empty archive', { status: 2, isUsage: true });
  const excluded = await excludedOf(invocation);
  const isCompressed = given.has('gzip') || (given.has('auto') && /\.(tar\.gz|tgz|taz)$/.test(archive));
  const output = opened(archive, () => (archive === '-' ? retained(call.stdout) : openOutput(call, archive)));
  try {
    const made: Uint8Array[] = [];
    const compressor = isCompressed
      ? new Gzip({ level: 6, mtime: 0 }, (bytes) => made.push(bytes))
      : undefined;
    const flush = async () => {
      for (const bytes of made.splice(0)) await output.write(bytes, call.signal);
    };
    const sink = {
      write: async (bytes: Uint8Array) => {
        if (compressor === undefined) return output.write(bytes, call.signal);
        compressor.push(bytes);
        await flush();
      },
    };
    const number = (key: 'owner' | 'group') => {
      const value = Number(given.value(key)?.split(':').at(-1) ?? Number.NaN);
      return Number.isInteger(value) ? value : given.value(key) === 'root' ? 0 : undefined;
    };
    const writer = new TarWriter(invocation, sink, {
      excluded,
      follows: given.has('dereference'),
      isAbsolute: given.has('absolute'),
      isVerbose: given.has('verbose'),
      archive: output instanceof OpenTreeFile ? output.ino : undefined,
      owner: { uid: number('owner'), gid: number('group') },
      mtimeSeconds: mtimeOf(invocation),
      // What is listed goes elsewhere when the archive itself is printed.
      tell: async (name) =>
        archive === '-' ? call.stderr.write(encodeText(`${name}\n`), call.signal) : out.write(`${name}\n`),
    });
    for (const name of names) await writer.add(name, directory);
    await writer.end();
    compressor?.push(new Uint8Array(0), true);
    await flush();
    if (writer.hasFailed) await out.flush();
    return writer.hasFailed ? 2 : 0;
  } finally {
    output.release();
  }
}

/** @throws ProgramError for a date that is none */
function mtimeOf({ call, options: given }: Invocation<Key>): number | undefined {
  const text = given.value('mtime');
  if (text === undefined) return undefined;
  const date = parseDate(text, { now: now(), zone: zoneOfCall(call) });
  if (date === undefined) throw new ProgramError(`Invalid time: ${text}`, { status: 2 });
  return date.seconds;
}

async function extract(invocation: Invocation<Key>, archive: ShellText, isList: boolean): Promise<number> {
  const { call, options: given, out, warn } = invocation;
  const { names, directory } = await membersOf(invocation);
  const isRoot = call.uid === 0;
  const style: ExtractStyle = {
    call,
    directory,
    members: names,
    hasWildcards: given.has('wildcards'),
    isNumeric: given.has('numeric'),
    excluded: await excludedOf(invocation),
    strips: Number(given.value('strip') ?? 0),
    isAbsolute: given.has('absolute'),
    keepsOld: given.has('keep'),
    keepsPermissions:
      given.last('permissions', 'noPermissions') === 'permissions' || (isRoot && !given.has('noPermissions')),
    keepsOwner: given.last('sameOwner', 'noOwner') === 'sameOwner' || (isRoot && !given.has('noOwner')),
    keepsTimes: !given.has('touch'),
    isList,
    verbosity: given.count('verbose'),
    toStdout: given.has('stdout'),
  };
  const extractor = new MemberExtractor(style);
  const parser = new TarParser(extractor);
  const input = opened(archive, () => openInput(call, archive));
  let hasTold = false;
  const flush = async () => {
    if (extractor.hasRemovedSlash && !hasTold) {
      hasTold = true;
      await warn("Removing leading `/' from member names");
    }
    for (const bytes of extractor.lines.splice(0)) await out.writeBytes(bytes);
    for (const complaint of extractor.complaints.splice(0)) {
      hasFailed = true;
      await warn(complaint);
    }
  };
  let hasFailed = false;
  try {
    let decompressor: Gunzip | undefined;
    let isFirst = true;
    for await (const piece of pieces(input, call.signal)) {
      // Compression is seen by what the archive begins with.
      if (isFirst && piece[0] === 0x1f && piece[1] === 0x8b)
        decompressor = new Gunzip((bytes) => parser.push(bytes));
      isFirst = false;
      if (decompressor) decompressor.push(piece);
      else parser.push(piece);
      await flush();
    }
    parser.end();
    extractor.close();
    await flush();
    if (isFirst) {
      hasFailed = true;
      await warn('This does not look like a tar archive');
    }
  } finally {
    extractor.dispose();
    input.release();
  }
  return hasFailed ? 2 : 0;
}

function retained(file: OpenFile): OpenFile {
  file.retain();
  return file;
}

function opened(name: ShellText, open: () => OpenFile): OpenFile {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(
      `${name}: Cannot open: ${error.message}\ntar: Error is not recoverable: exiting now`,
      { status: 2 },
    );
  }
}
