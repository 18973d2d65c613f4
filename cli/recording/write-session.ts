import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { SessionStream } from '../../recording/format/session-stream.ts';
import type { CliContext } from '../context.ts';
import { type FileEnd, fileError, writePieces } from '../transfer/file-ends.ts';
import { formats } from './formats.ts';

export interface WriteOptions {
  /** Whether a file that is there is replaced. */
  readonly force?: boolean | undefined;
}

/**
 * Writes a session to a file, or to standard output as `-`. The file is there once all of it is. Resolves to how many bytes it has.
 * @throws already-exists, what reading the session throws, as `writePieces`
 */
export async function writeSession(
  session: SessionStream,
  to: { readonly path: string; readonly format: string; readonly context: CliContext } & WriteOptions,
): Promise<number> {
  const { path, format, context, force } = to;
  await assertFree(path, { context, force });
  if (format === 'folder') return writeFolder(session, { path, context });
  const write = formats[format]?.write;
  if (!write) throw new SandboxError('invalid-argument', `There is no format ${format}`);
  const pieces = write(session, { gzip: path.endsWith('.gz') });
  return writePieces(bytesOf(pieces), { path, context });
}

/** As files, of which the index is the last: a folder without one is not whole. Those of an earlier recording are replaced where they have the same names. */
async function writeFolder(session: SessionStream, { path, context }: FileEnd): Promise<number> {
  if (path === '-')
    throw new SandboxError('invalid-argument', 'A folder cannot go to standard output: name one');
  const { writeSegments } = await import('../../recording/write/write-segments.ts');
  const folder = resolve(context.directory, path);
  let sizeBytes = 0;
  await writeSegments(session, async (name, bytes) => {
    context.signal.throwIfAborted();
    const file = join(folder, name);
    sizeBytes += bytes.length;
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    } catch (error) {
      throw fileError(error, `write ${path}`);
    }
  });
  return sizeBytes;
}

/** Before anything is read, so that who has mistyped a name does not wait. @throws already-exists */
export async function assertFree(
  path: string,
  { context, force }: { readonly context: CliContext } & WriteOptions,
): Promise<void> {
  if (force || path === '-') return;
  const found = await lstat(resolve(context.directory, path)).catch(() => undefined);
  if (!found) return;
  throw new SandboxError('already-exists', `${path} exists: give --force to replace it, or another name`);
}

async function* bytesOf(pieces: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
