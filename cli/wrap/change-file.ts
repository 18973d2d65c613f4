import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';

/** What a configuration has at most. */
const fileBytes = 4 * 1024 * 1024;

/** The text of a file; nothing where there is none. A pipe that has taken its place is not waited for. @throws limit-exceeded, invalid-argument for one that is no file */
export async function readSettings(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (!(await file.stat()).isFile()) throw noFile(path);
    const bytes = Buffer.alloc(fileBytes + 1);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    if (bytesRead > fileBytes) {
      throw new SandboxError('limit-exceeded', `${path} has more than ${fileBytes} bytes`);
    }
    return bytes.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (isMissing(error)) return undefined;
    // A socket.
    throw error instanceof Error && 'code' in error && error.code === 'ENXIO' ? noFile(path) : error;
  }
}

/**
 * Refuses a file of a folder that is somewhere else really: whoever made the folder, such as a repository that was cloned, may have
 * put a link there. @throws forbidden
 */
export async function assertInFolder(path: string, folder: string): Promise<void> {
  const real = await realpath(folder);
  const inside = real.endsWith(sep) ? real : `${real}${sep}`;
  for (const each of [dirname(path), path]) {
    const leadsTo = await realpath(each).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (leadsTo === undefined || leadsTo === real || leadsTo.startsWith(inside)) continue;
    const message = `Cannot change ${path}: it is a link to ${leadsTo}, out of the folder ${folder}. Put in there by hand what coppice wrap prints`;
    throw new SandboxError('forbidden', message);
  }
}

/**
 * Replaces a file in one step, a link's target if it is one. With `keeps`, what it had is beside it afterwards, as
 * `FILE.before-coppice`.
 */
export async function replaceSettings(
  path: string,
  {
    before,
    now,
    keeps,
  }: { readonly before: string | undefined; readonly now: string; readonly keeps: boolean },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const real = before === undefined ? path : await realpath(path);
  const mode = before === undefined ? 0o644 : (await stat(real)).mode & 0o777;
  if (before !== undefined && keeps) await putFile(`${real}.before-coppice`, before, mode);
  await putFile(real, now, mode);
}

/** In one step, through a new file whose name nobody can know before. A link that is there is replaced, and not followed. */
async function putFile(path: string, text: string, mode: number): Promise<void> {
  const made = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(made, text, { mode, flag: 'wx' });
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}

function noFile(path: string): SandboxError {
  return new SandboxError(
    'invalid-argument',
    `${path} is no file: remove what is there, or put a file there`,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
