import { constants } from 'node:fs';
import { lstat, mkdir, open, stat, symlink, unlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { FileInfo } from '../../protocol/sandbox/files.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import type { Files } from '../../sdk/files.ts';
import type { CliContext } from '../context.ts';
import { plainText } from '../output/plain-text.ts';
import { onHost } from './file-ends.ts';
import type { CopiedFiles } from './pack-files.ts';

interface CopyParts {
  readonly source: string;
  readonly target: string;
  readonly context: CliContext;
}

/**
 * Copies a file or a directory of a sandbox to this host. Names that a sandbox, or whoever answers for it, says are
 * believed only where they stay below the target; links are made, and never followed.
 * @throws not-found, forbidden, already-exists, corrupt-object
 */
export async function copyOut(
  files: Files,
  { source, target, at, context }: CopyParts & { readonly at: TreeRef },
): Promise<CopiedFiles> {
  const totals: CopiedFiles = { files: 0, bytes: 0, leftOut: [] };
  const info = await files.stat(source, { at });
  const base = resolve(context.directory, target);
  const isDirectory = await stat(base)
    .then((found) => found.isDirectory())
    .catch(() => false);
  const to = isDirectory && source !== '/' ? join(base, safeName(basename(source))) : base;
  const visit = async (
    path: string,
    { type, mode, target: link = '' }: FileInfo,
    into: string,
  ): Promise<void> => {
    throwIfAborted(context.signal, `Cannot copy ${plainText(path)}`);
    const entries = type === 'directory' ? await unlessGone(files.list(path, { at })) : undefined;
    const bytes = type === 'file' ? await unlessGone(files.read(path, { format: 'bytes', at })) : undefined;
    if (entries) {
      await onHost(`make ${into}`, () => makeDirectory(into));
      for (const entry of entries) {
        const name = safeName(entry.name);
        await visit(path === '/' ? `/${name}` : `${path}/${name}`, entry, join(into, name));
      }
    } else if (bytes) {
      await onHost(`write ${into}`, () => writeWithoutFollowing(into, bytes, mode & 0o777));
      count(totals, bytes.length);
    } else if (type === 'symlink') {
      await onHost(`make ${into}`, () => replaceLink(link, into));
      count(totals, 0);
    } else {
      totals.leftOut.push(plainText(path));
    }
  };
  await visit(source, info, to);
  return totals;
}

function count(totals: CopiedFiles, bytes: number): void {
  totals.files += 1;
  totals.bytes += bytes;
}

/** @throws corrupt-object for what is not the name of one entry */
function safeName(name: string): string {
  if (name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)) return name;
  throw new SandboxError('corrupt-object', `Cannot copy an entry that is called ${JSON.stringify(name)}`);
}

/** One that is there stays, unless it is a link, which could lead anywhere. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!(await lstat(path).catch(() => undefined))?.isDirectory()) throw error;
  }
}

/** Makes a link, also in place of another one. */
async function replaceLink(link: string, path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink()) await unlink(path);
  await symlink(link, path);
}

/** What is read of a sandbox, or nothing where it was deleted meanwhile, or has a name that is no UTF-8, by which it cannot be asked for. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (SandboxError.from(error).code === 'not-found') return undefined;
    throw error;
  }
}

async function writeWithoutFollowing(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  await using file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode);
  await file.writeFile(bytes);
}
