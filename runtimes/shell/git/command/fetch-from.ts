import { isRefName } from '../../../../sandbox/git/git-names.ts';
import { followedBranch } from '../../../../sandbox/git/library/list-branches.ts';
import { NotInShellError } from '../git-command-error.ts';
import { fetchLocal } from './fetch-local.ts';
import type { GitCall } from './git-call.ts';
import { isLocal } from './local-remote.ts';
import { assertListed, exchange, silent, urlOf } from './server-exchange.ts';

interface Fetched {
  readonly remote: string | undefined;
  readonly branches: readonly string[];
  readonly isQuiet: boolean;
  readonly prunes: boolean;
  readonly allTags: boolean;
}

/** Fetches from a remote: a server, or a path of the sandbox. @throws GitCommandError */
export async function fetchFrom(git: GitCall, { remote: given, branches, ...usual }: Fetched): Promise<void> {
  const repository = await git.open();
  const current = await repository.branch();
  const remote =
    given ?? (current === undefined ? 'origin' : (await followedBranch(repository, current)).remote);
  const url = await urlOf(git, remote);
  if (isLocal(url)) {
    await git.change((here) => fetchLocal(git, here, { remote, url, branches, ...usual }));
    return;
  }
  if (usual.prunes || branches.some((branch) => !isRefName(branch)))
    throw new NotInShellError(
      'fatal: the git of a shell fetches all branches of a server, and prunes none',
      128,
    );
  assertListed(git, url);
  const ask = { directory: git.directory, remote, signal: git.call.signal };
  await exchange(url, async () => (await git.git()).fetch(ask, silent, { servers: git.parts.servers }));
}
