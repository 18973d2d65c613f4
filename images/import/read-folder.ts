import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { SandboxError } from '../../protocol/errors.ts';
import { type FolderChoice, importFailure, type TarStream } from './image-origin.ts';

/** GNU tar: a file changed while it was read, or is gone. */
const changedExitCode = 1;
const keptErrorCharacters = 4_000;

/**
 * A folder's files with their owners, modes, times, hard links and attributes, as GNU tar finds
 * them; neither what is mounted below it, unless that is asked for, nor sockets.
 * @throws invalid-argument, now and from its pieces and end; unsupported without GNU tar
 */
export async function readFolder(
  path: string,
  choice: FolderChoice & { readonly signal?: AbortSignal | undefined },
): Promise<TarStream> {
  const folder = await realpath(path).catch((cause) => {
    throw importFailure(path, 'there is no such folder', cause);
  });
  await assertGnuTar();
  const { signal, beside = [] } = choice;
  const child = spawn('tar', tarArguments(folder, choice), {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    signal,
  });
  child.stdin.on('error', () => {}); // It has ended: `finish` says why.
  child.stdin.end(beside.map((one) => `${one.slice(1)}\0`).join(''));
  let errors = '';
  let unread = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    unread += text.split(unreadMark).length - 1;
    errors = (errors + text).slice(-keptErrorCharacters);
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  ended.catch(() => {}); // Told by `finish`, which comes after the last piece.
  let doneBytes = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let isWhole = false;
    try {
      for await (const piece of child.stdout as AsyncIterable<Uint8Array>) {
        doneBytes += piece.length;
        yield piece;
      }
      isWhole = true;
    } finally {
      // It may have more to say at its end.
      if (!isWhole) child.kill();
    }
  }
  return {
    pieces: pieces(),
    progress: () => ({ doneBytes, totalBytes: 0 }),
    finish: async () => {
      const [exitCode] = await ended.catch((cause) => {
        throw importFailure(path, (cause as Error).message, cause);
      });
      const skipped = unread > 0 ? [unreadRemark(unread, errors)] : [];
      if (exitCode === 0) return skipped;
      if (exitCode === changedExitCode)
        return [...skipped, `Files changed while they were read: ${lastLine(errors)}`];
      throw importFailure(path, `${lastLine(errors)}. Who may not read all of it imports as root`);
    },
  };
}

/** Another tar has other options, or says nothing of owners and attributes. */
async function assertGnuTar(): Promise<void> {
  const { stdout } = await promisify(execFile)('tar', ['--version']).catch(() => ({ stdout: '' }));
  if (stdout.includes('GNU tar')) return;
  throw new SandboxError(
    'unsupported',
    'Cannot read a folder without GNU tar: install the package tar, or import a tar archive',
    { details: { feature: 'tar' } },
  );
}

function tarArguments(
  folder: string,
  { without = [], exclude = [], beside = [], crossesMounts, skipsUnreadable, isGivenToRoot }: FolderChoice,
): string[] {
  const inside = without.map((one) => relative(folder, one)).filter((one) => !one.startsWith('..'));
  const fromFolder = exclude.filter((one) => one.startsWith('/')).map((one) => `--exclude=.${one}`);
  const anywhere = exclude.filter((one) => !one.startsWith('/')).map((one) => `--exclude=${one}`);
  return [
    ...tarOptions,
    ...(crossesMounts ? [] : ['--one-file-system']),
    ...(skipsUnreadable ? ['--ignore-failed-read'] : []),
    ...(isGivenToRoot ? ['--owner=0', '--group=0', '--mode=u+w'] : []),
    '--no-wildcards-match-slash',
    '--no-anchored',
    ...anywhere,
    '--anchored',
    ...fromFolder,
    ...inside.map((one) => `--exclude=./${one.replace(/[\\*?[\]]/g, '\\$&')}`),
    '--directory',
    folder,
    '.',
    ...(beside.length > 0 ? ['--directory=/', '--null', '--verbatim-files-from', '--files-from=-'] : []),
  ];
}

/** Times of access and of change are the copy's own, and say nothing about the files. */
const tarOptions: readonly string[] = [
  '--create',
  '--file=-',
  '--format=posix',
  '--pax-option=delete=atime,delete=ctime',
  '--sort=name',
  '--numeric-owner',
  '--xattrs',
  '--xattrs-include=user.*',
  '--xattrs-include=security.capability',
  '--warning=no-file-ignored',
];

/** Of files and folders that tar is told to leave out then. */
const unreadMark = ': Warning: Cannot ';

function unreadRemark(count: number, errors: string): string {
  const [example = ''] = errors.split('\n').filter((line) => line.includes(unreadMark));
  const path = example.slice('tar: '.length, example.indexOf(unreadMark));
  return `This user may not read all of it: ${count} files and folders are left out, such as ${path}`;
}

function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  // The last one only says that there were errors before.
  return lines.findLast((line) => !line.includes('Exiting with failure status')) || 'tar failed';
}
