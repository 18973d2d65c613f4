import type { IFileSystem } from 'just-bash';
import { fileMode, isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import { absolutePath } from '../../files/tree-files.ts';
import { type ErrorName, ShellError } from '../../shell-error.ts';
import { decodeText, encodeText } from '../../text.ts';
import type { ProgramCall } from '../program.ts';
import { openOutput, readInput } from '../streams/input.ts';

type EngineStat = Awaited<ReturnType<IFileSystem['stat']>>;
type Content = Parameters<IFileSystem['writeFile']>[1];
type Encoding = Parameters<IFileSystem['writeFile']>[2];

/**
 * The files of one call as just-bash's commands read them. It must not have members named `mkdirSync` and
 * `writeFileSync`: the engine would write stubs of its commands into the tree.
 */
export class EngineFiles implements IFileSystem {
  readonly #call: ProgramCall;

  constructor(call: ProgramCall) {
    this.#call = call;
  }

  async readFile(path: string, options?: Parameters<IFileSystem['readFile']>[1]): Promise<string> {
    const encoding = typeof options === 'string' ? options : options?.encoding;
    const bytes = await this.readFileBuffer(path);
    return isByteEncoding(encoding) ? latin1Of(bytes) : decodeText(bytes);
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return translated(path, 'open', () => readInput(this.#call, path === '-' ? './-' : path));
  }

  writeFile(path: string, content: Content, options?: Encoding): Promise<void> {
    return this.#write(path, { content, options, append: false });
  }

  appendFile(path: string, content: Content, options?: Encoding): Promise<void> {
    return this.#write(path, { content, options, append: true });
  }

  async exists(path: string): Promise<boolean> {
    // Where there is this directory, the engine runs no command that has no file in it.
    if (path === '/usr/bin') return false;
    return this.#call.files.exists(this.#absolute(path));
  }

  stat(path: string): Promise<EngineStat> {
    return translated(path, 'stat', () => statOf(this.#call.files.stat(this.#absolute(path))));
  }

  lstat(path: string): Promise<EngineStat> {
    return translated(path, 'lstat', () => statOf(this.#call.files.lstat(this.#absolute(path))));
  }

  readdir(path: string): Promise<string[]> {
    return translated(path, 'scandir', () => [...this.#call.files.readdir(this.#absolute(path))].sort());
  }

  async readdirWithFileTypes(
    path: string,
  ): Promise<{ name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean }[]> {
    const names = await this.readdir(path);
    const directory = path.endsWith('/') ? path : `${path}/`;
    return translated(path, 'scandir', () =>
      names.map((name) => {
        const { mode } = this.#call.files.lstat(this.#absolute(`${directory}${name}`));
        return {
          name,
          isFile: isFile(mode),
          isDirectory: isDirectory(mode),
          isSymbolicLink: isSymlink(mode),
        };
      }),
    );
  }

  mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    return translated(path, 'mkdir', () => {
      if (options?.recursive && this.#call.files.exists(this.#absolute(path))) return;
      this.#call.files.mkdir(this.#absolute(path), this.#call);
    });
  }

  rm(path: string): Promise<void> {
    return translated(path, 'unlink', () => this.#call.files.unlink(this.#absolute(path)));
  }

  cp(): Promise<void> {
    return Promise.reject(new Error('EPERM: operation not permitted, cp'));
  }

  mv(path: string, to: string): Promise<void> {
    return translated(path, 'rename', () =>
      this.#call.files.rename(this.#absolute(path), this.#absolute(to)),
    );
  }

  resolvePath(base: string, path: string): string {
    // The engine goes up by `..` until nothing changes.
    const names: string[] = [];
    for (const name of absolutePath(base, path).split('/')) {
      if (name === '..') names.pop();
      else if (name !== '') names.push(name);
    }
    return `/${names.join('/')}`;
  }

  getAllPaths(): string[] {
    return [];
  }

  chmod(path: string, mode: number): Promise<void> {
    return translated(path, 'chmod', () =>
      this.#call.files.chmod(this.#absolute(path), mode & fileMode.permissions),
    );
  }

  symlink(target: string, path: string): Promise<void> {
    return translated(path, 'symlink', () =>
      this.#call.files.symlink(target, this.#absolute(path), this.#call),
    );
  }

  link(path: string, to: string): Promise<void> {
    return translated(path, 'link', () => this.#call.files.link(this.#absolute(path), this.#absolute(to)));
  }

  readlink(path: string): Promise<string> {
    return translated(path, 'readlink', () => this.#call.files.readlink(this.#absolute(path)));
  }

  realpath(path: string): Promise<string> {
    return translated(path, 'realpath', () => this.#call.files.realpath(this.#absolute(path)));
  }

  utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    return translated(path, 'utimes', () =>
      this.#call.files.utimes(this.#absolute(path), { atime: timeOf(atime), mtime: timeOf(mtime) }),
    );
  }

  #absolute(path: string): string {
    return absolutePath(this.#call.cwd, path);
  }

  #write(
    path: string,
    { content, options, append }: { content: Content; options: Encoding; append: boolean },
  ): Promise<void> {
    const encoding = typeof options === 'string' ? options : options?.encoding;
    return translated(path, 'open', async () => {
      const file = openOutput(this.#call, path, { append });
      try {
        await file.write(bytesOf(content, isByteEncoding(encoding)), this.#call.signal);
      } finally {
        file.release();
      }
    });
  }
}

/** One UTF-16 code unit per byte, as the engine has bytes. */
export function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    text += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + 8192));
  }
  return text;
}

/** What the engine has as text, or as one code unit per byte. */
export function bytesOf(content: Content, isBytes: boolean): Uint8Array {
  if (typeof content !== 'string') return content;
  if (!isBytes) return encodeText(content);
  const bytes = new Uint8Array(content.length);
  for (let at = 0; at < content.length; at++) bytes[at] = content.charCodeAt(at);
  return bytes;
}

function isByteEncoding(encoding: string | null | undefined): boolean {
  return encoding === 'binary' || encoding === 'latin1' || encoding === 'ascii';
}

function statOf(inode: InodeView): EngineStat {
  return {
    isFile: isFile(inode.mode),
    isDirectory: isDirectory(inode.mode),
    isSymbolicLink: isSymlink(inode.mode),
    mode: inode.mode & fileMode.permissions,
    size: inode.sizeBytes,
    mtime: new Date(inode.mtimeSeconds * 1000 + Math.floor(inode.mtimeNanoseconds / 1_000_000)),
    dev: 1,
    ino: inode.ino,
  };
}

function timeOf(date: Date): { seconds: number; nanoseconds: number } {
  const seconds = Math.floor(date.getTime() / 1000);
  return { seconds, nanoseconds: (date.getTime() - seconds * 1000) * 1_000_000 };
}

/** The engine's commands read the code of a failure in its message, as Node's file system has it. */
async function translated<T>(path: string, call: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    const code: ErrorName = error.code;
    const failure = new Error(`${code}: ${error.message.toLowerCase()}, ${call} '${path}'`);
    throw Object.assign(failure, { code });
  }
}
