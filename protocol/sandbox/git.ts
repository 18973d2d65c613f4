import type { ProgressListener } from './progress.ts';

/** How to sign in at a git server. Goes to that server only, and is never stored. */
export interface GitCredentials {
  /** The server that they are for, such as `https://git.example.org`. */
  readonly origin: string;
  readonly username: string;
  /** A password or a token. */
  readonly password: string;
}

/** A bridge that forwards requests of git to the servers on its list. */
export interface GitProxyAddress {
  /** The bridge's own address, such as `https://bridge.example.org`. */
  readonly url: string;
  readonly token: string;
}

/** Which working tree: the absolute path of its top directory. */
export interface GitDirectory {
  readonly directory: string;
}

/** How a git server is talked to. */
export interface GitExchange {
  readonly credentials?: GitCredentials;
  /**
   * For a page, which most git servers do not let read their answers. `unsupported` where git is a program of the
   * sandbox, which uses the sandbox's network.
   */
  readonly proxy?: GitProxyAddress;
  /** Aborting ends the exchange, and the call rejects with `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

export interface GitCloneAsk extends GitDirectory, GitExchange {
  /** A URL of `https` or `http`; where git is a program of the sandbox, also of `ssh` and `file`. It holds no password. */
  readonly url: string;
  /** A branch or a tag; the repository's own choice by default. */
  readonly ref?: string;
  /** The full id of a commit, instead of `ref`; HEAD is detached then. */
  readonly commit?: string;
  /** How many commits of the history come; all by default. */
  readonly depth?: number;
  /**
   * With its submodules, by the protocols that the repository itself is had by. `unsupported` where git is no program of the
   * sandbox.
   */
  readonly submodules?: boolean;
}

export interface GitFetchAsk extends GitDirectory, GitExchange {
  /** `origin` by default. */
  readonly remote?: string;
}

export interface GitPushAsk extends GitDirectory, GitExchange {
  /** `origin` by default. */
  readonly remote?: string;
  /** A local branch, pushed to the one of the same name; the current one by default. */
  readonly branch?: string;
  /** Replaces the remote branch even where that loses commits. */
  readonly force?: boolean;
}

export interface GitPullAsk extends GitDirectory, GitExchange {
  /** The remote that the current branch follows by default, or `origin`. */
  readonly remote?: string;
  /** A branch of the remote; the one that the current branch follows by default, or that of the same name. */
  readonly branch?: string;
  /** Of the commit of a merge; the one that git is configured with by default. */
  readonly author?: GitPerson;
}

export interface GitMergeAsk extends GitDirectory {
  /** A branch, a tag or a commit. */
  readonly ref: string;
  /** Of the commit of the merge; the one that git is configured with by default. */
  readonly author?: GitPerson;
}

/** Where HEAD is after a merge. */
export interface GitMerged extends GitHead {
  /** What the merge did: nothing, moved the branch on to the other commits, or made a commit that joins both. */
  readonly kind: 'up-to-date' | 'fast-forward' | 'merge';
}

export type GitChange = 'unchanged' | 'added' | 'modified' | 'deleted' | 'untracked' | 'conflicted';

/** A file that differs between HEAD, the index and the working tree. */
export interface GitFileStatus {
  /** Relative to the working tree. */
  readonly path: string;
  /** The index, compared with HEAD: what a commit would take. */
  readonly staged: GitChange;
  /** The working tree, compared with the index. */
  readonly unstaged: GitChange;
}

export interface GitStatus {
  /** The id of the commit that HEAD is at; absent before the first commit. */
  readonly head?: string;
  /** Absent where HEAD is detached. */
  readonly branch?: string;
  /** Without those that are unchanged or ignored, by path. */
  readonly files: readonly GitFileStatus[];
  /** How many more there are than the list has (`limits.gitStatusFiles`). */
  readonly more: number;
}

/** What is compared: the index with the working tree unless it says otherwise. */
export interface GitDiffAsk extends GitDirectory {
  /** HEAD with the index. */
  readonly staged?: boolean;
  /** A commit or a branch, with the working tree or with `to`. */
  readonly from?: string;
  readonly to?: string;
  /** Only files at or below these; all by default. */
  readonly paths?: readonly string[];
}

export interface GitDiff {
  /** In the format of `git diff`, at most `limits.gitDiffBytes`. */
  readonly patch: string;
  /** Whether the patch is longer. */
  readonly isCut: boolean;
}

export interface GitPerson {
  readonly name: string;
  readonly email: string;
}

export interface GitCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitPerson;
  readonly authoredAtMs: number;
}

export interface GitBranch {
  /** `main`, or `origin/main` of a remote. */
  readonly name: string;
  readonly commit: string;
  readonly isRemote: boolean;
}

/** How far the current branch is from the remote branch that it follows, as that was when it was last fetched. */
export interface GitUpstream {
  /** Such as `origin/main`. */
  readonly name: string;
  /** Commits that the remote branch lacks. */
  readonly ahead: number;
  /** Commits of the remote branch that the current one lacks. */
  readonly behind: number;
  /** Whether the search ended at `limits.gitComparedCommits`: both numbers are at least so many. */
  readonly isMore: boolean;
}

export interface GitBranches {
  /** Absent where HEAD is detached. */
  readonly current?: string;
  /** Absent where the current branch follows none, and where `origin` has none of its name. */
  readonly upstream?: GitUpstream;
  readonly branches: readonly GitBranch[];
}

/** Where HEAD is. */
export interface GitHead {
  /** The id of a commit; absent before the first one. */
  readonly head?: string;
  /** Absent where HEAD is detached. */
  readonly branch?: string;
}

/**
 * Git repositories among the files of a sandbox. Every call throws `not-found` where the directory is in none, and
 * `unsupported` where the sandbox has no git.
 */
export interface GitFacet {
  /**
   * Clones a repository, all of it or nothing. `onProgress` is told what git says of how far it is.
   * @throws already-exists (something is at `directory`), not-found, forbidden (with `details.needs` `credentials` where
   * the server asks for them), asset-unavailable, invalid-argument, limit-exceeded, storage-full, timeout, aborted
   */
  clone(ask: GitCloneAsk, onProgress: ProgressListener): Promise<GitHead>;
  /** Gets a remote's branches and tags; the working tree stays. @throws as `clone`, conflict */
  fetch(ask: GitFetchAsk, onProgress: ProgressListener): Promise<void>;
  /** Sends a branch. @throws as `clone`; conflict where the remote branch has commits that this one lacks, or refuses it */
  push(ask: GitPushAsk, onProgress: ProgressListener): Promise<GitHead>;
  /**
   * Fetches a remote branch and merges it into the current one.
   * @throws as `fetch` and `merge`; invalid-argument where HEAD is at no branch
   */
  pull(ask: GitPullAsk, onProgress: ProgressListener): Promise<GitMerged>;
  /**
   * Joins other commits with the current branch, or only moves it on where it has none of its own. Whatever keeps it
   * from that, branch, index and files stay as they were.
   * @throws conflict, with `details.paths` (`limits.gitConflictPaths` at most) where both have changed the same, or where changes that are not
   * committed would be lost; not-found, unsupported (no common commit, or, where git is a library, several); invalid-argument where nobody is the author
   */
  merge(ask: GitMergeAsk): Promise<GitMerged>;
  status(ask: GitDirectory): Promise<GitStatus>;
  diff(ask: GitDiffAsk): Promise<GitDiff>;
  /** Stages the files at or below these paths, deleted ones too; all that `status` names by default. @throws not-found */
  add(ask: GitDirectory & { readonly paths?: readonly string[] }): Promise<void>;
  /** Puts the index back to HEAD at or below these paths; everywhere by default. Files stay as they are. */
  unstage(ask: GitDirectory & { readonly paths?: readonly string[] }): Promise<void>;
  /**
   * Commits what is staged. The author is the one that git is configured with by default.
   * @throws invalid-argument where nothing is staged, or nobody is the author
   */
  commit(ask: GitDirectory & { readonly message: string; readonly author?: GitPerson }): Promise<GitCommit>;
  /** The commits that lead to `ref` (HEAD by default), newest first, at most `most`. @throws not-found */
  log(ask: GitDirectory & { readonly ref?: string; readonly most?: number }): Promise<GitCommit[]>;
  branches(ask: GitDirectory): Promise<GitBranches>;
  /**
   * Puts the working tree at a branch, a tag or a commit; with `create`, at a new branch from HEAD.
   * @throws not-found, already-exists; conflict where changes that are not committed would be lost
   */
  checkout(ask: GitDirectory & { readonly ref: string; readonly create?: boolean }): Promise<GitHead>;
}
