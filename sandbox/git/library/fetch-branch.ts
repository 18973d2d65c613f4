import type { GitPullAsk } from '../../../protocol/sandbox/git.ts';
import { detachedHead } from '../detached-head.ts';
import { withRemote } from './exchange.ts';
import { followedBranch } from './list-branches.ts';
import type { MergedCommit } from './merge-commits.ts';
import type { Repository } from './repository.ts';

/**
 * Fetches from a remote, and tells the commit of the branch that is to be merged.
 * @throws invalid-argument where HEAD is at no branch, not-found, and what an exchange throws
 */
export async function fetchBranch(
  repository: Repository,
  ask: GitPullAsk,
  parts: {
    readonly servers: readonly string[] | undefined;
    readonly what: string;
    readonly tell: (text: string) => void;
  },
): Promise<MergedCommit> {
  const { library, at } = repository;
  const current = await repository.branch();
  if (current === undefined) throw detachedHead(parts.what);
  const followed = await followedBranch(repository, current);
  const { remote = followed.remote } = ask;
  const branch = ask.branch ?? (remote === followed.remote ? followed.branch : current);
  const remoteRef = `refs/heads/${branch}`;
  const { fetchHead } = await withRemote(repository, { ...parts, remote, ask }, (options) =>
    library.fetch({ ...at, ...options, remote, remoteRef, tags: true }),
  );
  // A server without any branch has none of this name either.
  if (!fetchHead) throw new library.Errors.NotFoundError(`branch "${branch}" of "${remote}"`);
  const url = (await repository.remoteUrl(remote)).replace(/\/+$/, '').replace(/\.git$/, '');
  return { theirs: fetchHead, name: `branch '${branch}' of ${url}` };
}
