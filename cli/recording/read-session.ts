import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { packageVersion } from '../../protocol/package-version.ts';
import { type ImportedSession, importSession } from '../../recording/import/import-session.ts';
import type { ReadSideFile } from '../../recording/import/importer.ts';
import { importLimits } from '../../recording/import/limits.ts';
import type { CliContext } from '../context.ts';
import { readPieces } from '../transfer/file-ends.ts';

/**
 * A recording, or a session of an agent, from a file, `-`, or the folder of an Orca trace. Whatever wrote it, it is read as a recording.
 * @throws not-found, forbidden, invalid-argument, limit-exceeded
 */
export async function readSession(path: string, context: CliContext): Promise<ImportedSession> {
  const generator = `coppice ${packageVersion}`;
  if (path === '-') return importSession(readPieces({ path, context }), { generator });
  const whole = resolve(context.directory, path);
  const isFolder = (await stat(whole).catch(() => undefined))?.isDirectory() === true;
  const file = isFolder ? join(whole, 'events.jsonl') : whole;
  if (isFolder && (await stat(file).catch(() => undefined)) === undefined) {
    const message = `${path} is a folder without an events.jsonl: name a file, or the folder of an Orca trace`;
    throw new SandboxError('invalid-argument', message);
  }
  const pieces = readPieces({ path: file, context });
  return importSession(pieces, { generator, readSideFile: sideFilesOf(file) });
}

/** Those beside a session: in the folder of its name without an ending, in its own where that is an Orca trace, or where older agents put them. */
function sideFilesOf(file: string): ReadSideFile {
  const folder = dirname(file);
  if (basename(file) === 'events.jsonl') return (path) => readIn(folder, path);
  const own = file.replace(/\.[^./\\]*$/, '');
  return async (path) => (await readIn(own, path)) ?? (await readIn(folder, basename(path)));
}

/** A file that is really in a folder: whoever packed the folder may have put links into it. */
async function readIn(folder: string, path: string): Promise<Uint8Array | undefined> {
  try {
    const [real, within] = await Promise.all([realpath(join(folder, path)), realpath(folder)]);
    if (!real.startsWith(`${within}${sep}`)) return undefined;
    await using opened = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const found = await opened.stat();
    if (!found.isFile() || found.size > importLimits.sideFileBytes) return undefined;
    return await opened.readFile();
  } catch {
    return undefined; // It need not be there.
  }
}
