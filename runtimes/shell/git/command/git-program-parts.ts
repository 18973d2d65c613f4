import type { GitFiles } from '../../../../sandbox/git/library/git-files.ts';
import type { LibraryGit } from '../../../../sandbox/git/library/library-git.ts';

/** What the command works with. */
export interface GitProgramParts {
  /** The git that clients of the sandbox use. */
  readonly git: () => Promise<LibraryGit>;
  readonly files: GitFiles;
  /** Names of the servers that commands may talk to, such as `git.example.org` or `127.0.0.1:8080`. */
  readonly servers: readonly string[];
}
