import { limits } from '../../../protocol/limits.ts';
import type { GitBranch, GitBranches, GitUpstream } from '../../../protocol/sandbox/git.ts';
import { isRefName } from '../git-names.ts';
import { compareHistories } from './compare-histories.ts';
import type { Repository } from './repository.ts';

/** The branches of the repository and of its remotes, and how far the current one is from the one that it follows. */
export async function listBranches(repository: Repository): Promise<GitBranches> {
  const { library, at } = repository;
  const current = await repository.branch();
  const names = (await library.listBranches({ ...at })).map((name) => ({
    name,
    ref: `refs/heads/${name}`,
    isRemote: false,
  }));
  for (const { remote } of await library.listRemotes({ ...at })) {
    for (const branch of await library.listBranches({ ...at, remote })) {
      if (branch === 'HEAD') continue;
      names.push({ name: `${remote}/${branch}`, ref: `refs/remotes/${remote}/${branch}`, isRemote: true });
    }
  }
  const branches: GitBranch[] = [];
  for (const { name, ref, isRemote } of names.slice(0, limits.gitBranches)) {
    branches.push({ name, commit: await library.resolveRef({ ...at, ref }), isRemote });
  }
  if (current === undefined) return { branches };
  const upstream = await compareToUpstream(repository, current);
  return { current, ...(upstream === undefined ? {} : { upstream }), branches };
}

/** The remote branch that a branch follows by the settings of the repository; else that of its name, of `origin`. */
export async function followedBranch(
  repository: Repository,
  branch: string,
): Promise<{ readonly remote: string; readonly branch: string }> {
  const [remote = '', merge = ''] = await Promise.all([
    repository.setting(`branch.${branch}.remote`),
    repository.setting(`branch.${branch}.merge`),
  ]);
  const followed = merge.replace(/^refs\/heads\//, '');
  // What is configured is data; `.` would be a branch of this repository.
  if (!isRefName(remote) || !isRefName(followed)) return { remote: 'origin', branch };
  return { remote, branch: followed };
}

async function compareToUpstream(repository: Repository, current: string): Promise<GitUpstream | undefined> {
  const { library, at } = repository;
  const followed = await followedBranch(repository, current);
  const name = `${followed.remote}/${followed.branch}`;
  const theirs = await library.resolveRef({ ...at, ref: `refs/remotes/${name}` }).catch(() => undefined);
  const ours = await repository.head();
  if (theirs === undefined || ours === undefined) return undefined;
  return { name, ...(await compareHistories(repository, { ours, theirs })) };
}
