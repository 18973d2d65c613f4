import type { TreeFiles } from '../../shell/files/tree-files.ts';
import { checked } from '../../shell/files/tree-result.ts';
import { isDirectory, isFile, isSymlink } from '../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../tree/live/file-tree.ts';
import { WorkSlices } from '../../tree/next-task.ts';

/** What is read and written at a time. */
const pieceBytes = 1_048_576;

/** Copies a file or a directory as it is: owners, permissions, times, links within it. Others have the thread meanwhile. */
export class TreeCopy {
  readonly #files: TreeFiles;
  readonly #slices = new WorkSlices();
  /** Where files with several names were copied to first. */
  readonly #linked = new Map<Ino, string>();

  constructor(files: TreeFiles) {
    this.#files = files;
  }

  /** @throws ShellError; half of it may be there then */
  async copy(path: string, to: string): Promise<void> {
    const { ino, mode, uid, gid, nlink, rdev, sizeBytes, mtimeSeconds, mtimeNanoseconds } =
      this.#files.lstat(path);
    const creator = { uid, gid, umask: 0 };
    const first = this.#linked.get(ino);
    if (first !== undefined) {
      this.#files.link(first, to);
      return;
    }
    if (isSymlink(mode)) {
      this.#files.symlink(this.#files.readlink(path), to, creator);
      return;
    }
    if (isDirectory(mode)) {
      this.#files.mkdir(to, creator, 0o755);
      for (const name of this.#files.readdir(path)) await this.copy(`${path}/${name}`, `${to}/${name}`);
    } else if (isFile(mode)) {
      if (nlink > 1) this.#linked.set(ino, to);
      this.#files.writeFile(to, new Uint8Array(0), creator);
      await this.#copyContent({ ino, sizeBytes }, this.#files.stat(to).ino);
    } else this.#files.mknod(to, creator, { mode, rdev });
    this.#files.chmod(to, mode & 0o7777);
    this.#files.utimes(to, { mtime: { seconds: mtimeSeconds, nanoseconds: mtimeNanoseconds } });
  }

  async #copyContent({ ino, sizeBytes }: Pick<InodeView, 'ino' | 'sizeBytes'>, to: Ino): Promise<void> {
    const { tree } = this.#files;
    const piece = new Uint8Array(Math.min(sizeBytes, pieceBytes));
    for (let at = 0; at < sizeBytes; at += pieceBytes) {
      const bytes = piece.subarray(0, Math.min(pieceBytes, sizeBytes - at));
      checked(tree.read(ino, at, bytes));
      // A hole stays one.
      if (bytes.some((byte) => byte !== 0)) checked(tree.write(to, at, bytes));
      await this.#slices.end();
    }
    checked(tree.truncate(to, sizeBytes));
  }
}
