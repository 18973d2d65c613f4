import { readFile, stat } from 'node:fs/promises';
import { basename, posix, resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { Files } from '../../sdk/files.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { CliContext } from '../context.ts';
import { onHost, withProgress } from './file-ends.ts';
import { type CopiedFiles, packFiles } from './pack-files.ts';

/** A file of at most so many bytes is written by itself: that takes no bash and no tar in the sandbox. */
const smallFileBytes = 16_777_216;

/**
 * Copies a file or a directory of this host into a sandbox, with links and times: all of it or, where it fails, nothing. The target
 * is what it becomes, or an existing directory that it is copied into. Directories above it are made.
 * @throws not-found, forbidden, busy (changes meanwhile), as `Sandbox.importTar`, aborted
 */
export async function copyIn(
  sandbox: Sandbox,
  {
    source,
    target,
    context,
    quiet,
  }: {
    readonly source: string;
    readonly target: string;
    readonly context: CliContext;
    readonly quiet?: boolean | undefined;
  },
): Promise<CopiedFiles> {
  const { files } = sandbox;
  const { signal } = context;
  const from = resolve(context.directory, source);
  const [found, into] = await Promise.all([
    onHost(`read ${source}`, () => stat(from)),
    typeIn(files, target),
  ]);
  const path = posix.normalize(target).replace(/\/$/, '');
  const to = into === 'directory' ? `${path}/${basename(from)}` : path;
  if (found.isFile() && found.size <= smallFileBytes) {
    const bytes = await onHost(`read ${source}`, () => readFile(from));
    await files.write(to, bytes, { mode: found.mode & 0o777 });
    return { files: 1, bytes: bytes.length, leftOut: [] };
  }
  const { directory, name } = await belowExisting(files, to);
  const totals: CopiedFiles = { files: 0, bytes: 0, leftOut: [] };
  return withProgress(`copy ${basename(from)}`, { context, quiet }, async (report) => {
    const pieces = packFiles(from, { name, totals, signal });
    await sandbox.importTar(
      reported(pieces, () => report.bytes(totals.bytes, 0)),
      { path: directory, signal },
    );
    return totals;
  });
}

/** The nearest path above `path` at which there is something, and the rest of it. */
async function belowExisting(
  files: Files,
  path: string,
): Promise<{ readonly directory: string; readonly name: string }> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const directory = path.slice(0, end);
    if ((await typeIn(files, directory)) !== undefined) return { directory, name: path.slice(end + 1) };
  }
  return { directory: '/', name: path.slice(1) };
}

/** Of a path, or `undefined` where there is nothing. */
async function typeIn(files: Files, path: string): Promise<string | undefined> {
  try {
    return (await files.stat(path)).type;
  } catch (error) {
    if (SandboxError.from(error).code === 'not-found') return undefined;
    throw error;
  }
}

async function* reported(
  pieces: AsyncIterable<Uint8Array>,
  report: () => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    report();
    yield piece;
  }
}
