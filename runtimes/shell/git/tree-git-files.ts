import type { FileTime, GitFileCalls, GitFiles } from '../../../sandbox/git/library/git-files.ts';
import type { TreeFiles } from '../../../shell/files/tree-files.ts';
import type { ShellFileChanger } from '../file-changer.ts';
import { users } from '../users.ts';
import { WorkingTreeCalls } from './working-tree-calls.ts';

const { uid, gid } = users.user;

/** The files of the shell for the library that is git: the live tree itself. */
export class TreeGitFiles implements GitFiles {
  readonly #files: TreeFiles;
  readonly #changer: ShellFileChanger;

  constructor(files: TreeFiles, changer: ShellFileChanger) {
    this.#files = files;
    this.#changer = changer;
  }

  within(root: string, signal: AbortSignal): GitFileCalls {
    return new WorkingTreeCalls(this.#files, { root, signal, creator: { uid, gid, umask: 0o022 } });
  }

  async compareText(older: string, newer: string, signal: AbortSignal): Promise<string> {
    const { unifiedHunks } = await import('./diff/text-hunks.ts');
    return unifiedHunks(older, newer, { signal });
  }

  async mergeText(
    base: string,
    sides: { readonly ours: string; readonly theirs: string },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { mergeLines } = await import('./merge/merge-lines.ts');
    const labels = { ours: 'ours', theirs: 'theirs' };
    const { text, isClean } = await mergeLines({ base, ...sides }, { labels, signal });
    return isClean ? text : undefined;
  }

  isThere(path: string): boolean {
    try {
      this.#files.lstat(path);
      return true;
    } catch {
      return false;
    }
  }

  isDirectory(path: string): boolean {
    return this.#files.exists(path) && (this.#files.stat(path).mode & 0o170000) === 0o040000;
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#changer.makeDirectory({ path });
    this.#files.chown(path, { uid, gid });
  }

  async remove(path: string, { time }: { readonly time?: FileTime | undefined } = {}): Promise<void> {
    await this.#changer.remove({ path });
    if (time) this.#files.utimes(path.slice(0, path.lastIndexOf('/')) || '/', { mtime: time });
  }

  timeOf(path: string): FileTime {
    const { mtimeSeconds, mtimeNanoseconds } = this.#files.stat(path);
    return { seconds: mtimeSeconds, nanoseconds: mtimeNanoseconds };
  }

  rename(options: { readonly path: string; readonly to: string }): Promise<void> {
    return this.#changer.rename(options);
  }
}
