import { SandboxError } from '../protocol/errors.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type {
  GitBranches,
  GitCloneAsk,
  GitCommit,
  GitCredentials,
  GitDiff,
  GitDiffAsk,
  GitDirectory,
  GitExchange,
  GitFetchAsk,
  GitHead,
  GitMergeAsk,
  GitMerged,
  GitPerson,
  GitPullAsk,
  GitPushAsk,
  GitStatus,
} from '../protocol/sandbox/git.ts';
import type { Progress } from '../protocol/sandbox/progress.ts';

/** How a git server is talked to. */
export interface ExchangeOptions extends Pick<GitExchange, 'proxy' | 'signal'> {
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Asked for a user and a password, or a token, once the server asks for them; `undefined` gives up. They go to that
   * server only, and are never stored.
   */
  readonly onCredentials?: (server: {
    readonly origin: string;
  }) => Promise<SignIn | undefined> | SignIn | undefined;
}

type SignIn = Pick<GitCredentials, 'username' | 'password'>;

export interface CloneOptions
  extends Pick<GitCloneAsk, 'url' | 'directory' | 'ref' | 'commit' | 'submodules'>,
    ExchangeOptions {
  /** How many commits of the history come: 1 by default, `Infinity` for all. */
  readonly depth?: number;
}

export type FetchOptions = Pick<GitFetchAsk, 'directory' | 'remote'> & ExchangeOptions;
export type PullOptions = Pick<GitPullAsk, 'directory' | 'remote' | 'branch' | 'author'> & ExchangeOptions;
export type PushOptions = Pick<GitPushAsk, 'directory' | 'remote' | 'branch' | 'force'> & ExchangeOptions;

/** Git repositories among the files of a sandbox: `sandbox.git`. Directories are absolute paths of working trees. */
export class Git {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  /**
   * Clones a repository, all of it or nothing, with its last commit only unless `depth` says otherwise.
   * @throws already-exists, not-found, forbidden, asset-unavailable, unsupported, storage-full, aborted
   */
  clone({ depth = 1, ...options }: CloneOptions): Promise<GitHead> {
    const { url, directory, ref, commit, submodules } = options;
    const ask = {
      ...{ url, directory },
      ...(ref === undefined ? {} : { ref }),
      ...(commit === undefined ? {} : { commit }),
      ...(submodules === undefined ? {} : { submodules }),
      ...(depth === Number.POSITIVE_INFINITY ? {} : { depth }),
    };
    return exchange(options, (given, tell) => this.#connection.git.clone({ ...ask, ...given }, tell));
  }

  /** Gets a remote's branches and tags; the working tree stays. @throws as `clone` */
  fetch(options: FetchOptions): Promise<void> {
    const { directory, remote } = options;
    const ask = { directory, ...(remote === undefined ? {} : { remote }) };
    return exchange(options, (given, tell) => this.#connection.git.fetch({ ...ask, ...given }, tell));
  }

  /** Sends a branch, the current one by default. @throws conflict where the remote refuses it, and as `clone` */
  push(options: PushOptions): Promise<GitHead> {
    const { directory, remote, branch, force } = options;
    const ask = {
      directory,
      ...(remote === undefined ? {} : { remote }),
      ...(branch === undefined ? {} : { branch }),
      ...(force === undefined ? {} : { force }),
    };
    return exchange(options, (given, tell) => this.#connection.git.push({ ...ask, ...given }, tell));
  }

  /** Fetches a remote branch and merges it into the current one. @throws as `fetch` and `merge` */
  pull(options: PullOptions): Promise<GitMerged> {
    const { directory, remote, branch, author } = options;
    const ask = {
      directory,
      ...(remote === undefined ? {} : { remote }),
      ...(branch === undefined ? {} : { branch }),
      ...(author === undefined ? {} : { author }),
    };
    return exchange(options, (given, tell) => this.#connection.git.pull({ ...ask, ...given }, tell));
  }

  /**
   * Joins a branch, a tag or a commit with the current branch; where that cannot be, all stays as it was.
   * @throws conflict, not-found, unsupported, invalid-argument
   */
  merge(ask: GitMergeAsk): Promise<GitMerged> {
    return this.#connection.git.merge(ask);
  }

  status(ask: GitDirectory): Promise<GitStatus> {
    return this.#connection.git.status(ask);
  }

  /** The index and the working tree, compared; `staged`, `from` and `to` choose other sides. */
  diff(ask: GitDiffAsk): Promise<GitDiff> {
    return this.#connection.git.diff(ask);
  }

  /** Stages the files at or below `paths`, or all that `status` names. @throws not-found */
  add(ask: GitDirectory & { readonly paths?: readonly string[] }): Promise<void> {
    return this.#connection.git.add(ask);
  }

  /** Puts the index back to HEAD at or below `paths`, or everywhere; files stay as they are. */
  unstage(ask: GitDirectory & { readonly paths?: readonly string[] }): Promise<void> {
    return this.#connection.git.unstage(ask);
  }

  /** Commits what is staged. @throws invalid-argument where nothing is staged, or nobody is the author */
  commit(ask: GitDirectory & { readonly message: string; readonly author?: GitPerson }): Promise<GitCommit> {
    return this.#connection.git.commit(ask);
  }

  /** Commits, newest first, that lead to `ref` or HEAD. */
  log(ask: GitDirectory & { readonly ref?: string; readonly most?: number }): Promise<GitCommit[]> {
    return this.#connection.git.log(ask);
  }

  branches(ask: GitDirectory): Promise<GitBranches> {
    return this.#connection.git.branches(ask);
  }

  /** Puts the working tree at a branch, a tag or a commit, or at a new branch. @throws conflict, not-found */
  checkout(ask: GitDirectory & { readonly ref: string; readonly create?: boolean }): Promise<GitHead> {
    return this.#connection.git.checkout(ask);
  }
}

/** Asks once without credentials, and once more with those that the caller gives where the server wants some. */
async function exchange<T>(
  { proxy, signal, onProgress = () => {}, onCredentials }: ExchangeOptions,
  ask: (given: GitExchange, onProgress: (progress: Progress) => void) => Promise<T>,
): Promise<T> {
  const given = { ...(proxy ? { proxy } : {}), ...(signal ? { signal } : {}) };
  try {
    return await ask(given, onProgress);
  } catch (cause) {
    const { origin, needs } = SandboxError.from(cause).details;
    if (!onCredentials || needs !== 'credentials' || typeof origin !== 'string') throw cause;
    const signIn = await onCredentials({ origin });
    if (!signIn) throw cause;
    const { username, password } = signIn;
    return ask({ ...given, credentials: { origin, username, password } }, onProgress);
  }
}
