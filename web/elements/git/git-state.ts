import type { ErrorData } from '../../../protocol/errors.ts';
import type { GitBranches, GitCommit, GitStatus } from '../../../protocol/sandbox/git.ts';

/** Work with a git server that is under way. */
export interface GitTask {
  /** What is being done, such as `Cloning`. */
  readonly title: string;
  /** What git says of it, one line of a stranger's text. */
  readonly text: string;
  /** Of the objects that git counts; `undefined` while it counts none. */
  readonly share: number | undefined;
}

/** A server that asks who is there. */
export interface SignInRequest {
  readonly origin: string;
  /** The bridge that the answer goes through, if it does not go there from this page. */
  readonly through: string | undefined;
}

/** A user of a git server with a password or a token. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
}

/** A working tree as the panel shows it. */
export interface RepositoryView {
  readonly directory: string;
  readonly status: GitStatus;
  readonly branches: GitBranches;
  /** Newest first. */
  readonly log: readonly GitCommit[];
}

/** Everything that the panel shows of the git of one sandbox. */
export interface GitState {
  /** The working trees in the sandbox's directory; `undefined` until they have been looked for. */
  readonly repositories: readonly string[] | undefined;
  /** Of how many directories how many were looked into. */
  readonly directories: number;
  readonly looked: number;
  readonly repository: RepositoryView | undefined;
  readonly task: GitTask | undefined;
  readonly signIn: SignInRequest | undefined;
  /** Whether the repository is being changed: one change follows the other. */
  readonly isChanging: boolean;
  /** What the user's last operation did, in a sentence; empty for nothing. */
  readonly said: string;
  /** Why the user's last operation failed. */
  readonly problem: ErrorData | undefined;
  /** Why what is shown could not be read; gone with the next reading that succeeds. */
  readonly readProblem: ErrorData | undefined;
}

export const initialGitState: GitState = {
  repositories: undefined,
  directories: 0,
  looked: 0,
  repository: undefined,
  task: undefined,
  signIn: undefined,
  isChanging: false,
  said: '',
  problem: undefined,
  readProblem: undefined,
};

/** What a line of git's progress says: `Receiving objects: 12/50`, or `Receiving objects:  24% (12/50), 1.2 MiB`. */
export function shareOf(text: string): number | undefined {
  const [, done, total] = /(\d+)\/(\d+)/.exec(text) ?? [];
  return done === undefined || Number(total) === 0 ? undefined : Math.min(1, Number(done) / Number(total));
}
