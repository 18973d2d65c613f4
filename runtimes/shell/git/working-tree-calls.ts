import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitFileCalls, GitFileStat } from '../../../sandbox/git/library/git-files.ts';
import { pause } from '../../../sandbox/pause.ts';
import type { FileCreator, TreeFiles } from '../../../shell/files/tree-files.ts';
import { checked } from '../../../shell/files/tree-result.ts';
import { ShellError } from '../../../shell/shell-error.ts';
import { isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { assertWritable } from './assert-writable.ts';

/**
 * The clock of a tree has milliseconds, and the index tells a changed file by its size and times. What is written after
 * the index has a later time than what the index has seen (git's own remedy: Documentation/technical/racy-git).
 */
const clockStepMs = 2;

type Encoding = string | { readonly encoding?: string } | undefined;

/** The calls of one git in one working tree. What it may not write is refused by name. */
export class WorkingTreeCalls implements GitFileCalls {
  readonly #files: TreeFiles;
  readonly #root: string;
  readonly #signal: AbortSignal;
  readonly #creator: FileCreator;
  readonly #slices = new WorkSlices();

  constructor(
    files: TreeFiles,
    options: { readonly root: string; readonly signal: AbortSignal; readonly creator: FileCreator },
  ) {
    this.#files = files;
    this.#root = options.root;
    this.#signal = options.signal;
    this.#creator = options.creator;
  }

  async readFile(path: string, options?: Encoding): Promise<Uint8Array | string> {
    await this.#turn();
    const { ino, mode, sizeBytes } = this.#files.stat(path);
    if (isDirectory(mode)) throw new ShellError('EISDIR');
    if (sizeBytes > limits.gitFileBytes) {
      const message = `Cannot read "${path}": it has more than ${limits.gitFileBytes} bytes, the most for git here`;
      throw new SandboxError('limit-exceeded', message, { details: { path } });
    }
    const bytes = new Uint8Array(isFile(mode) ? sizeBytes : 0);
    checked(this.#files.tree.read(ino, 0, bytes));
    const encoding = typeof options === 'string' ? options : options?.encoding;
    return encoding === undefined ? bytes : new TextDecoder().decode(bytes);
  }

  async writeFile(
    path: string,
    content: Uint8Array | string,
    options?: string | { readonly mode?: number },
  ): Promise<void> {
    await this.#writable(path);
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    // What is written takes the place of a link, and never goes where it leads.
    if (this.#isLink(path)) this.#files.unlink(path);
    this.#files.writeFile(path, bytes, this.#creator);
    const mode = typeof options === 'object' ? options.mode : undefined;
    if (mode !== undefined) this.#files.chmod(path, mode & 0o777 & ~this.#creator.umask);
    if (path.endsWith('/.git/index')) await pause(clockStepMs);
  }

  async mkdir(path: string): Promise<void> {
    await this.#writable(path);
    this.#files.mkdir(path, this.#creator);
  }

  async rmdir(path: string): Promise<void> {
    await this.#writable(path);
    this.#files.rmdir(path);
  }

  async unlink(path: string): Promise<void> {
    await this.#writable(path);
    this.#files.unlink(path);
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#writable(path);
    if (this.#isLink(path)) this.#files.unlink(path);
    this.#files.symlink(target, path, this.#creator);
  }

  async stat(path: string): Promise<GitFileStat> {
    await this.#turn();
    return statOf(this.#files.stat(path));
  }

  async lstat(path: string): Promise<GitFileStat> {
    await this.#turn();
    return statOf(this.#files.lstat(path));
  }

  async readdir(path: string): Promise<string[]> {
    await this.#turn();
    return [...this.#files.readdir(path)];
  }

  async readlink(path: string): Promise<string> {
    await this.#turn();
    return this.#files.readlink(path);
  }

  async #writable(path: string): Promise<void> {
    await this.#turn();
    assertWritable(this.#files, path, this.#root);
  }

  /** Others get the thread now and then. @throws what the signal was aborted with */
  async #turn(): Promise<void> {
    await this.#slices.end();
    this.#signal.throwIfAborted();
  }

  #isLink(path: string): boolean {
    try {
      return isSymlink(this.#files.lstat(path).mode);
    } catch {
      return false;
    }
  }
}

function statOf({ mode, sizeBytes, ino, uid, gid, ...times }: InodeView): GitFileStat {
  return {
    ...{ mode, ino, uid, gid },
    size: sizeBytes,
    dev: 1,
    mtimeMs: times.mtimeSeconds * 1_000 + times.mtimeNanoseconds / 1_000_000,
    ctimeMs: times.ctimeSeconds * 1_000 + times.ctimeNanoseconds / 1_000_000,
    isFile: () => isFile(mode),
    isDirectory: () => isDirectory(mode),
    isSymbolicLink: () => isSymlink(mode),
  };
}
