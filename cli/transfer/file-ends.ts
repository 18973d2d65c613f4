import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createProgress, type StepReport } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';

/** A file that a command writes or reads, or `-` for standard output or input. */
export interface FileEnd {
  readonly path: string;
  readonly context: CliContext;
}

/**
 * Writes pieces to a file, which is there only once all of it is written; what was there before stays until then.
 * Resolves to how many bytes there were.
 * @throws what reading the pieces throws; not-found, forbidden, storage-full, invalid-argument for a terminal
 */
export async function writePieces(
  pieces: AsyncIterable<Uint8Array>,
  { path, context, report }: FileEnd & { readonly report?: StepReport },
): Promise<number> {
  const { stdout, directory, signal } = context;
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      bytes += piece.length;
      report?.bytes(bytes, 0);
      yield piece;
    }
  }
  if (path === '-') {
    if (stdout.isTTY)
      throw new SandboxError('invalid-argument', 'This is no text for a terminal: name a file, or pipe it');
    await written(counted(), stdout, { signal, end: false, path: 'standard output' });
    return bytes;
  }
  const target = resolve(directory, path);
  const unfinished = `${target}.${process.pid}.part`;
  const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  try {
    await written(counted(), file, { signal, path });
    await rename(unfinished, target);
    return bytes;
  } catch (error) {
    // It may still be about to be created.
    if (!file.closed) await new Promise<void>((resolve) => file.destroy().once('close', resolve));
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The bytes of a file as they are read, until the command is interrupted. @throws not-found, forbidden, aborted */
export async function* readPieces({
  path,
  context,
  report,
  totalBytes = 0,
}: FileEnd & { readonly report?: StepReport; readonly totalBytes?: number }): AsyncGenerator<
  Uint8Array,
  void
> {
  const { stdin, directory, signal } = context;
  const opened = path === '-' ? stdin : createReadStream(resolve(directory, path));
  const source = addAbortSignal(signal, opened);
  let bytes = 0;
  try {
    for await (const piece of source) {
      const chunk: Uint8Array = typeof piece === 'string' ? Buffer.from(piece) : piece;
      bytes += chunk.length;
      report?.bytes(bytes, totalBytes);
      yield chunk;
    }
  } catch (error) {
    if (signal.aborted) throw interrupted('read', path, error);
    throw fileError(error, `read ${path}`);
  }
}

/** Of a file, in bytes; 0 where nothing says how much there will be. */
export async function sizeOf({ path, context }: FileEnd): Promise<number> {
  if (path === '-') return 0;
  const found = await stat(resolve(context.directory, path)).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}

/** A step whose progress is shown on standard error where that is a terminal, and nothing where one is quiet. */
export function withProgress<T>(
  label: string,
  { context, quiet = false }: { readonly context: CliContext; readonly quiet?: boolean | undefined },
  work: (report: StepReport) => Promise<T>,
): Promise<T> {
  const output = quiet || !context.stderr.isTTY ? { write: () => undefined } : context.stderr;
  return createProgress(output).step(label, work);
}

async function written(
  pieces: AsyncIterable<Uint8Array>,
  target: Writable,
  { signal, end = true, path }: { signal: AbortSignal; end?: boolean; path: string },
): Promise<void> {
  try {
    await pipeline(pieces, target, { signal, end });
  } catch (error) {
    if (signal.aborted) throw interrupted('write', path, error);
    throw fileError(error, `write ${path}`);
  }
}

function interrupted(verb: string, path: string, cause: unknown): SandboxError {
  return new SandboxError('aborted', `Cannot ${verb} ${path}: interrupted`, { cause });
}

const codes = {
  ENOENT: 'not-found',
  ENOTDIR: 'not-found',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'read-only',
  ENOSPC: 'storage-full',
  EDQUOT: 'storage-full',
  EISDIR: 'invalid-argument',
  EEXIST: 'already-exists',
  ELOOP: 'invalid-argument',
} as const;

/** What is done to the host's files, whose errors become ours: see `fileError`. */
export async function onHost<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error, what);
  }
}

/** An error of the host's file system as one of ours; any other is left as it is. */
export function fileError(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || error instanceof SandboxError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = Object.entries(codes).find(([errno]) => errno === code)?.[1];
  return known ? new SandboxError(known, `Cannot ${what}: ${error.message}`, { cause: error }) : error;
}
