import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { upstreamOf } from '../../../../sandbox/git/library/revisions.ts';
import { shortRef } from './list-refs.ts';
import { reachable } from './walk-history.ts';

/** How far a branch is from the one that it follows. */
export interface UpstreamState {
  readonly name: string;
  readonly ahead: number;
  readonly behind: number;
  readonly isGone: boolean;
  /** As `status` tells it. */
  readonly text: string;
}

/** `undefined` where a branch follows none. */
export async function upstreamState(
  repository: Repository,
  branch: string,
): Promise<UpstreamState | undefined> {
  const ref = await upstreamOf(repository, branch);
  if (ref === undefined) return undefined;
  const { library, at } = repository;
  const name = shortRef(ref);
  const theirs = await library.resolveRef({ ...at, ref }).catch(() => undefined);
  const ours = await library.resolveRef({ ...at, ref: `refs/heads/${branch}` }).catch(() => undefined);
  if (theirs === undefined || ours === undefined) {
    const text = `Your branch is based on '${name}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n`;
    return { name, ahead: 0, behind: 0, isGone: true, text };
  }
  const { ahead, behind } = await countBetween(repository, ours, theirs);
  return { name, ahead, behind, isGone: false, text: textOf({ name, ahead, behind }) };
}

/** Commits that only one of two leads to. */
async function countBetween(
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<{ readonly ahead: number; readonly behind: number }> {
  if (ours === theirs) return { ahead: 0, behind: 0 };
  const [mine, other] = [await reachable(repository, [ours]), await reachable(repository, [theirs])];
  const only = (one: ReadonlySet<string>, rest: ReadonlySet<string>) =>
    [...one].filter((id) => !rest.has(id)).length;
  return { ahead: only(mine, other), behind: only(other, mine) };
}

function textOf({
  name,
  ahead,
  behind,
}: {
  readonly name: string;
  readonly ahead: number;
  readonly behind: number;
}): string {
  const commits = (count: number) => `${count} commit${count === 1 ? '' : 's'}`;
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${name}'.\n`;
  if (behind === 0)
    return `Your branch is ahead of '${name}' by ${commits(ahead)}.\n  (use "git push" to publish your local commits)\n`;
  if (ahead === 0)
    return `Your branch is behind '${name}' by ${commits(behind)}, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n`;
  return `Your branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" to merge the remote branch into yours)\n`;
}
