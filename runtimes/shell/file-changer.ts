import { SandboxError } from '../../protocol/errors.ts';
import type { FileChanger } from '../../sandbox/machine/machine-ports.ts';
import type { TreeFiles } from '../../shell/files/tree-files.ts';
import { ShellError } from '../../shell/shell-error.ts';
import { isDirectory, isSymlink } from '../../tree/live/file-mode.ts';

/** Changes files of the tree on behalf of a client: processes of the shell have nothing of them cached. */
export class ShellFileChanger implements FileChanger {
  readonly #files: TreeFiles;

  constructor(files: TreeFiles) {
    this.#files = files;
  }

  write({ path, bytes, mode }: Parameters<FileChanger['write']>[0]): Promise<void> {
    return this.#change(`write "${path}"`, () => {
      this.#files.writeFile(path, bytes, this.#ownerAbove(path));
      if (mode !== undefined) this.#files.chmod(path, mode);
    });
  }

  makeDirectory({ path }: { path: string }): Promise<void> {
    return this.#change(`make directory "${path}"`, () => this.#makeDirectory(path));
  }

  remove({ path }: { path: string }): Promise<void> {
    return this.#change(`remove "${path}"`, () => this.#remove(path));
  }

  rename({ path, to }: { path: string; to: string }): Promise<void> {
    return this.#change(`rename "${path}"`, () => this.#files.rename(path, to));
  }

  copy({ path, to }: { path: string; to: string }): Promise<void> {
    return this.#change(`copy "${path}"`, () => {
      if (this.#isDirectory(to)) throw new ShellError('EISDIR');
      // Beside its place, so that half of it never stands there.
      const half = `${directoryOf(to)}/.coppice-copy-${crypto.randomUUID()}`;
      try {
        this.#copy(path, half);
        this.#files.rename(half, to);
      } catch (cause) {
        if (this.#files.exists(half)) this.#remove(half);
        throw cause;
      }
    });
  }

  #copy(path: string, to: string): void {
    const { mode, uid, gid, mtimeSeconds, mtimeNanoseconds } = this.#files.lstat(path);
    const creator = { uid, gid, umask: 0 };
    if (isSymlink(mode)) {
      this.#files.symlink(this.#files.readlink(path), to, creator);
      return;
    }
    if (isDirectory(mode)) {
      this.#files.mkdir(to, creator, 0o755);
      for (const name of this.#files.readdir(path)) this.#copy(`${path}/${name}`, `${to}/${name}`);
    } else this.#files.writeFile(to, this.#files.readFile(path), creator);
    this.#files.chmod(to, mode & 0o7777);
    this.#files.utimes(to, { mtime: { seconds: mtimeSeconds, nanoseconds: mtimeNanoseconds } });
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

  #ownerAbove(path: string): { uid: number; gid: number; umask: number } {
    const { uid, gid } = this.#files.stat(directoryOf(path) || '/');
    return { uid, gid, umask: 0o022 };
  }

  async #change(what: string, work: () => void): Promise<void> {
    try {
      work();
    } catch (cause) {
      if (!(cause instanceof ShellError)) throw cause;
      const codes = { ENOENT: 'not-found', ENOSPC: 'storage-full' } as const;
      const code = codes[cause.code as keyof typeof codes] ?? 'invalid-argument';
      throw new SandboxError(code, `Cannot ${what}: ${cause.message}`, { cause });
    }
  }
}

/** `''` for what is in the root. */
function directoryOf(path: string): string {
  return path.replace(/\/+$/, '').replace(/\/+[^/]*$/, '');
}
