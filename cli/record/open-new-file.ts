import { open, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';
import { fileError } from '../transfer/file-ends.ts';

/** A file that is written piece after piece. */
export interface NewFile {
  /** As it is told to people. */
  readonly path: string;
  /** @throws storage-full, and what else the file system refuses */
  write(bytes: Uint8Array): Promise<void>;
  /** Once it is durable. */
  close(): Promise<void>;
  /** Gives it up. */
  remove(): Promise<void>;
}

export interface NewFileName {
  /** A path; by default a name that is free, made of `name`. */
  readonly output: string | undefined;
  readonly name: string;
  /** Whether a file that there is may be replaced. */
  readonly force: boolean;
}

/** Names that are tried where none was given. */
const tries = 1_000;

/** @throws already-exists where it may not be replaced; not-found, forbidden */
export async function openNewFile(
  { output, name, force }: NewFileName,
  { directory }: Pick<CliContext, 'directory'>,
): Promise<NewFile> {
  if (output !== undefined) return openAt(output, { directory, flags: force ? 'w' : 'wx' });
  const plain =
    basename(name)
      .replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')
      .replace(/^[-.]+/, '')
      .slice(0, 64) || 'session';
  for (let number = 1; ; number++) {
    const path = `${plain}${number === 1 ? '' : `-${number}`}.cast.gz`;
    try {
      return await openAt(path, { directory, flags: 'wx' });
    } catch (error) {
      if (SandboxError.from(error).code !== 'already-exists' || number === tries) throw error;
    }
  }
}

async function openAt(
  path: string,
  { directory, flags }: { readonly directory: string; readonly flags: 'w' | 'wx' },
): Promise<NewFile> {
  const target = resolve(directory, path);
  const failed = (error: unknown) => fileError(error, `write ${path}`);
  // What a session shows is its owner's.
  const file = await open(target, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw failed(error);
    const message = `Cannot write ${path}: there is such a file. Give another name, or --force to replace it`;
    throw new SandboxError('already-exists', message, { cause: error });
  });
  return {
    path,
    write: async (bytes) => {
      await file.writeFile(bytes).catch((error) => {
        throw failed(error);
      });
    },
    close: async () => {
      await file.sync().catch(() => undefined); // Not every file system can.
      await file.close();
    },
    remove: async () => {
      await file.close();
      await rm(target, { force: true });
    },
  };
}
