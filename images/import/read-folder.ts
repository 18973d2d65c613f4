import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { importFailure, type TarStream } from './image-origin.ts';

/** GNU tar: a file changed while it was read, or is gone. */
const changedExitCode = 1;
const keptErrorCharacters = 4_000;

export interface ReadFolderOptions {
  /** Folders to leave out: what is imported into must not be imported. */
  readonly without: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * A folder's files with their owners, modes, times, hard links and attributes, as GNU tar finds
 * them; neither what is mounted below it nor sockets.
 * @throws invalid-argument, now and from its pieces and end
 */
export async function readFolder(path: string, { without, signal }: ReadFolderOptions): Promise<TarStream> {
  const folder = await realpath(path).catch((cause) => {
    throw importFailure(path, 'there is no such folder', cause);
  });
  const inside = without.map((one) => relative(folder, one)).filter((one) => !one.startsWith('..'));
  const child = spawn('tar', [...tarOptions, ...inside.map(exclusion), '--directory', folder, '.'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    signal,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
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
      if (exitCode === 0) return [];
      if (exitCode === changedExitCode) return [`Files changed while they were read: ${lastLine(errors)}`];
      throw importFailure(path, `${lastLine(errors)}. Who may not read all of it imports as root`);
    },
  };
}

/** Times of access and of change are the copy's own, and say nothing about the files. */
const tarOptions: readonly string[] = [
  '--create',
  '--file=-',
  '--format=posix',
  '--pax-option=delete=atime,delete=ctime',
  '--sort=name',
  '--numeric-owner',
  '--one-file-system',
  '--xattrs',
  '--xattrs-include=user.*',
  '--xattrs-include=security.capability',
  '--warning=no-file-ignored',
];

function exclusion(path: string): string {
  return `--exclude=./${path.replace(/[\\*?[\]]/g, '\\$&')}`;
}

function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  // The last one only says that there were errors before.
  return lines.findLast((line) => !line.includes('Exiting with failure status')) || 'tar failed';
}
