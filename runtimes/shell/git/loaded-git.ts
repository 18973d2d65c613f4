import { SandboxError } from '../../../protocol/errors.ts';
import type { GitFiles } from '../../../sandbox/git/library/git-files.ts';
import type { LibraryGit } from '../../../sandbox/git/library/library-git.ts';

/** The git of a shell's files until they are replaced: loaded when it is first used, as most shells use none. */
export class LoadedGit {
  readonly #files: GitFiles;
  readonly #options: ConstructorParameters<typeof LibraryGit>[1];
  #loading: Promise<LibraryGit> | undefined;
  #isClosed = false;

  constructor(files: GitFiles, options: ConstructorParameters<typeof LibraryGit>[1]) {
    this.#files = files;
    this.#options = options;
  }

  /** @throws machine-failed once it is closed */
  async get(): Promise<LibraryGit> {
    if (this.#isClosed)
      throw new SandboxError('machine-failed', 'Cannot use git: the sandbox went back, or was closed');
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const git = await this.#loading?.catch(() => undefined);
    await git?.close();
  }

  async #load(): Promise<LibraryGit> {
    try {
      const { LibraryGit } = await import('../../../sandbox/git/library/library-git.ts');
      return new LibraryGit(this.#files, this.#options);
    } catch (error) {
      // A page whose server was away may ask again.
      this.#loading = undefined;
      throw error;
    }
  }
}
