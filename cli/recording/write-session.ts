import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { SessionStream } from '../../recording/export/session.ts';
import type { CliContext } from '../context.ts';
import { writePieces } from '../transfer/file-ends.ts';
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
  const write = formats[format]?.write;
  if (!write) throw new SandboxError('invalid-argument', `There is no format ${format}`);
  const pieces = write(session, { gzip: path.endsWith('.gz') });
  return writePieces(bytesOf(pieces), { path, context });
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
