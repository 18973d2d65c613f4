import { Gunzip, Gzip } from 'fflate';
import { isDirectory, isFile } from '../../../tree/live/file-mode.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { attempt, defineProgram, type Invocation } from '../command-line/define-program.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import { pathOf, statIfThere } from '../paths/operands.ts';
import { joinPath } from '../paths/path-names.ts';
import type { Program, ProgramCall } from '../program.ts';
import { openInput, openOutput, pieces } from '../streams/input.ts';

const options = {
  stdout: '-c, --stdout, --to-stdout  write on standard output, keep original files unchanged',
  decompress: '-d, --decompress, --uncompress  decompress',
  force: '-f, --force  force overwrite of output file',
  keep: '-k, --keep  keep (do not delete) input files',
  list: '-l, --list  list compressed file contents (not supported)',
  noName: '-n, --no-name  do not save or restore the original name and timestamp',
  name: '-N, --name  save or restore the original name and timestamp',
  quiet: '-q, --quiet  suppress all warnings',
  recursive: '-r, --recursive  operate recursively on directories',
  suffix: '-S, --suffix=SUF  use suffix SUF on compressed files',
  test: '-t, --test  test compressed file integrity',
  verbose: '-v, --verbose  verbose mode',
  fast: '-1, --fast  compress faster',
  two: '-2  compress faster',
  three: '-3  compress faster',
  four: '-4  compress faster',
  five: '-5  compress',
  six: '-6  compress (default)',
  seven: '-7  compress better',
  eight: '-8  compress better',
  best: '-9, --best  compress better',
};

type Key = keyof typeof options;

const levels: readonly Key[] = ['fast', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'best'];

export const gzip: Program = gzipProgram('gzip');
export const gunzip: Program = gzipProgram('gunzip');
export const zcat: Program = gzipProgram('zcat');

function gzipProgram(name: 'gzip' | 'gunzip' | 'zcat'): Program {
  return defineProgram({
    usage: '[OPTION]... [FILE]...',
    summary:
      name === 'gzip'
        ? 'Compress or uncompress FILEs (by default, compress FILES in-place).'
        : 'Uncompress FILEs.',
    options,
    async run(invocation) {
      const { call, options: given, operands } = invocation;
      const decompresses = name !== 'gzip' || given.has('decompress', 'test');
      const toStdout = name === 'zcat' || given.has('stdout');
      let status = 0;
      for (const operand of operands.length > 0 ? operands : ['-']) {
        for (const file of filesOf(invocation, operand)) {
          if (operand === '-' || toStdout || given.has('test')) {
            status = Math.max(
              status,
              await stream(invocation, {
                name: file,
                decompresses,
                output: given.has('test') ? undefined : call.stdout,
              }),
            );
          } else status = Math.max(status, await inPlace(invocation, file, decompresses));
        }
      }
      return status;
    },
  });
}

function filesOf({ call, options: given }: Invocation<Key>, name: ShellText): ShellText[] {
  const inode = name === '-' ? undefined : statIfThere(call, name);
  if (inode === undefined || !isDirectory(inode.mode) || !given.has('recursive')) return [name];
  return call.files
    .readdir(pathOf(call, name))
    .flatMap((entry) => filesOf({ call, options: given } as Invocation<Key>, joinPath(name, entry)));
}

/** Compresses or decompresses a file to an output. Answers the exit code. */
async function stream(
  invocation: Invocation<Key>,
  { name, decompresses, output }: { name: ShellText; decompresses: boolean; output: OpenFile | undefined },
): Promise<number> {
  const { call, options: given, warn } = invocation;
  const shown = name === '-' ? 'stdin' : nameInMessage(name);
  let status = 0;
  const isDone = await attempt(invocation, shown, async () => {
    const file = openInput(call, name);
    try {
      if (file.type === 'directory') {
        await warn(`${shown} is a directory -- ignored`);
        status = 2;
        return;
      }
      const level = levels.indexOf(given.last(...levels) ?? 'six') + 1;
      await (decompresses ? gunzipTo(file, output, call) : gzipTo(file, output, { call, level }));
    } catch (error) {
      if (!(error instanceof NotGzip)) throw error;
      await warn(`${shown}: ${error.message}`);
      status = 1;
    } finally {
      file.release();
    }
  });
  return isDone ? status : 1;
}

class NotGzip extends Error {}

async function gzipTo(
  file: OpenFile,
  output: OpenFile | undefined,
  { call, level }: { call: ProgramCall; level: number },
): Promise<void> {
  const made: Uint8Array[] = [];
  const compressor = new Gzip({ level: level as 6, mtime: 0 }, (bytes) => made.push(bytes));
  const flush = async () => {
    for (const bytes of made.splice(0)) await output?.write(bytes, call.signal);
  };
  for await (const piece of pieces(file, call.signal)) {
    compressor.push(piece);
    await flush();
  }
  compressor.push(new Uint8Array(0), true);
  await flush();
}

/** @throws NotGzip */
async function gunzipTo(
  file: OpenFile,
  output: Pick<OpenFile, 'write'> | undefined,
  call: ProgramCall,
): Promise<void> {
  const made: Uint8Array[] = [];
  const decompressor = new Gunzip((bytes) => made.push(bytes));
  let isFirst = true;
  let isEmpty = true;
  try {
    for await (const piece of pieces(file, call.signal)) {
      if (isFirst && !(piece[0] === 0x1f && (piece.length < 2 || piece[1] === 0x8b)))
        throw new NotGzip('not in gzip format');
      isFirst = false;
      isEmpty = false;
      decompressor.push(piece);
      for (const bytes of made.splice(0)) await output?.write(bytes, call.signal);
    }
    if (isEmpty) throw new NotGzip('unexpected end of file');
    decompressor.push(new Uint8Array(0), true);
    for (const bytes of made.splice(0)) await output?.write(bytes, call.signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') {
      throw new NotGzip(
        /EOF/.test(error.message) ? 'unexpected end of file' : 'invalid compressed data--format violated',
      );
    }
    throw error;
  }
}

async function inPlace(invocation: Invocation<Key>, name: ShellText, decompresses: boolean): Promise<number> {
  const { call, options: given, warn } = invocation;
  const suffix = given.value('suffix') ?? '.gz';
  const source = decompresses && statIfThere(call, name) === undefined ? `${name}${suffix}` : name;
  const inode = statIfThere(call, source, { follow: false });
  if (inode === undefined) {
    await warn(`${nameInMessage(source)}: No such file or directory`);
    return 1;
  }
  if (!isFile(inode.mode)) {
    await warn(
      isDirectory(inode.mode)
        ? `${source} is a directory -- ignored`
        : `${source} is not a directory or a regular file - ignored`,
    );
    return 2;
  }
  const { mode, uid, gid, mtimeSeconds, mtimeNanoseconds, atimeSeconds, atimeNanoseconds } = inode;
  const target = decompresses ? uncompressedName(source, suffix) : `${source}${suffix}`;
  if (target === undefined) {
    await warn(`${source}: unknown suffix -- ignored`);
    return 2;
  }
  if (!decompresses && source.endsWith(suffix) && !given.has('force')) {
    await warn(`${source} already has ${suffix} suffix -- unchanged`);
    return 2;
  }
  if (statIfThere(call, target) !== undefined && !given.has('force')) {
    await warn(`${target} already exists;\tnot overwritten`);
    return 2;
  }
  const output = openOutput(call, target);
  let status: number;
  try {
    status = await stream(invocation, { name: source, decompresses, output });
  } finally {
    output.release();
  }
  if (status !== 0) {
    call.files.unlink(pathOf(call, target));
    return status;
  }
  const path = pathOf(call, target);
  call.files.chown(path, { uid, gid });
  call.files.chmod(path, mode & 0o7777);
  call.files.utimes(path, {
    atime: { seconds: atimeSeconds, nanoseconds: atimeNanoseconds },
    mtime: { seconds: mtimeSeconds, nanoseconds: mtimeNanoseconds },
  });
  if (given.has('verbose')) {
    const [before, after] = [
      call.files.stat(pathOf(call, source)).sizeBytes,
      call.files.stat(path).sizeBytes,
    ];
    const [small, large] = decompresses ? [before, after] : [after, before];
    const ratio = large === 0 ? 0 : (1 - small / large) * 100;
    const what = given.has('keep') ? 'created' : 'replaced with';
    await call.stderr.write(
      encodeText(`${source}:\t${ratio.toFixed(1).padStart(5)}% -- ${what} ${target}\n`),
      call.signal,
    );
  }
  if (!given.has('keep')) call.files.unlink(pathOf(call, source));
  return 0;
}

function uncompressedName(name: ShellText, suffix: ShellText): ShellText | undefined {
  if (name.endsWith(suffix) && name.length > suffix.length) return name.slice(0, -suffix.length);
  if (name.endsWith('.tgz')) return `${name.slice(0, -4)}.tar`;
  return name.endsWith('.z') || name.endsWith('.Z') ? name.slice(0, -2) : undefined;
}
