import { SandboxError } from '../../protocol/errors.ts';
import type { FileChanger } from '../../sandbox/machine/machine-ports.ts';
import type { TreeFiles } from '../../shell/files/tree-files.ts';
import { checked } from '../../shell/files/tree-result.ts';
import { ShellError } from '../../shell/shell-error.ts';
import { isDirectory } from '../../tree/live/file-mode.ts';
import type { Ino } from '../../tree/live/file-tree.ts';
import { TreeCopy } from './tree-copy.ts';

/** Changes files of the tree on behalf of a client: processes of the shell have nothing of them cached. */
export class ShellFileChanger implements FileChanger {
  readonly #files: TreeFiles;

  constructor(files: TreeFiles) {
    this.#files = files;
  }

  write({ path, bytes, mode }: Parameters<FileChanger['write']>[0]): Promise<void> {
    return change(`write "${path}"`, () => {
      const isNew = !this.#files.exists(path);
      if (isNew) this.#files.writeFile(path, new Uint8Array(0), this.#ownerAbove(path));
      try {
        this.#replaceContent(this.#files.stat(path).ino, bytes);
      } catch (cause) {
        if (isNew) this.#files.unlink(path);
        throw cause;
      }
      if (mode !== undefined) this.#files.chmod(path, mode);
    });
  }

  makeDirectory({ path }: { path: string }): Promise<void> {
    return change(`make directory "${path}"`, () => this.#makeDirectory(path));
  }

  remove({ path }: { path: string }): Promise<void> {
    return change(`remove "${path}"`, () => this.#remove(path));
  }

  rename({ path, to }: { path: string; to: string }): Promise<void> {
    return change(`rename "${path}"`, () => this.#files.rename(path, to));
  }

  copy({ path, to }: { path: string; to: string }): Promise<void> {
    return change(`copy "${path}"`, async () => {
      if (this.#isDirectory(to)) throw new ShellError('EISDIR');
      if (this.#isBelow(to, path)) throw new ShellError('EINVAL');
      // Beside its place, so that half of it never stands there.
      const half = `${directoryOf(to)}/.coppice-copy-${crypto.randomUUID()}`;
      try {
        await new TreeCopy(this.#files).copy(path, half);
        this.#files.rename(half, to);
      } catch (cause) {
        if (this.#files.exists(half)) this.#remove(half);
        throw cause;
      }
    });
  }

  /** Written before it is cut to its length: where there is no room, the old content stays. */
  #replaceContent(ino: Ino, bytes: Uint8Array): void {
    const { tree } = this.#files;
    checked(tree.write(ino, 0, bytes));
    checked(tree.truncate(ino, bytes.length));
  }

  #makeDirectory(path: string): void {
    if (this.#isDirectory(path)) return;
    const above = directoryOf(path);
    if (above !== '') this.#makeDirectory(above);
    this.#files.mkdir(path, this.#ownerAbove(path), 0o755);
  }

  #remove(path: string): void {
    if (!isDirectory(this.#files.lstat(path).mode)) {
      this.#files.unlink(path);
      return;
    }
    for (const name of this.#files.readdir(path)) this.#remove(`${path}/${name}`);
    this.#files.rmdir(path);
  }

  #isDirectory(path: string): boolean {
    return this.#files.exists(path) && isDirectory(this.#files.stat(path).mode);
  }

  /** Whether a place is within a directory, links followed. */
  #isBelow(path: string, directory: string): boolean {
    const [above, real] = [this.#files.realpath(directoryOf(path) || '/'), this.#files.realpath(directory)];
    return above === real || above.startsWith(real === '/' ? real : `${real}/`);
  }

  #ownerAbove(path: string): { uid: number; gid: number; umask: number } {
    const { uid, gid } = this.#files.stat(directoryOf(path) || '/');
    return { uid, gid, umask: 0o022 };
  }
}

/** @throws SandboxError for what the files refuse */
async function change(what: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof ShellError)) throw cause;
    const codes = { ENOENT: 'not-found', ENOSPC: 'storage-full' } as const;
    const code = codes[cause.code as keyof typeof codes] ?? 'invalid-argument';
    throw new SandboxError(code, `Cannot ${what}: ${cause.message}`, { cause });
  }
}

/** `''` for what is in the root. */
function directoryOf(path: string): string {
  return path.replace(/\/+$/, '').replace(/\/+[^/]*$/, '');
}
