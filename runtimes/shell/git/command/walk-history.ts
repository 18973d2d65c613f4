import { limits } from '../../../../protocol/limits.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { GitCommandError } from '../git-command-error.ts';
import { type HistoryCommit, readHistoryCommit } from './history-commit.ts';
import type { PathHistory } from './path-history.ts';

export interface HistoryRange {
  readonly tips: readonly string[];
  readonly excluded?: readonly string[];
  readonly isFirstParent?: boolean | undefined;
  /** Of some paths, which tells the parents to go on with. */
  readonly history?: PathHistory | undefined;
}

/**
 * Commits and all that they come from, without what leads to `excluded`: the youngest first of those that are known by then, as git
 * shows them. @throws GitCommandError after `limits.gitWalkedCommits`
 */
export async function* walkHistory(
  repository: Repository,
  { tips, excluded = [], isFirstParent = false, history }: HistoryRange,
): AsyncGenerator<HistoryCommit> {
  const without = excluded.length > 0 ? await reachable(repository, excluded) : new Set<string>();
  const ends = await repository.shallowCommits();
  const seen = new Set<string>();
  /** The oldest first. */
  const known: HistoryCommit[] = [];
  const learn = async (oid: string): Promise<void> => {
    if (seen.has(oid) || without.has(oid)) return;
    repository.signal.throwIfAborted();
    assertFew(seen.size);
    seen.add(oid);
    const commit = await readHistoryCommit(repository, oid);
    known.splice(placeOf(commit, known), 0, commit);
  };
  for (const tip of tips) await learn(tip);
  for (let next = known.pop(); next; next = known.pop()) {
    yield next;
    if (ends.has(next.id)) continue;
    const parents = isFirstParent
      ? next.parents.slice(0, 1)
      : await (history?.parentsOf(next) ?? next.parents);
    for (const parent of parents) await learn(parent);
  }
}

/** All that some commits come from, and themselves. @throws GitCommandError */
export async function reachable(repository: Repository, tips: readonly string[]): Promise<Set<string>> {
  const { signal } = repository;
  const ends = await repository.shallowCommits();
  const found = new Set<string>();
  const waiting = [...tips];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    signal.throwIfAborted();
    assertFew(found.size);
    found.add(next);
    if (!ends.has(next)) waiting.push(...(await readCommitParts(repository, next)).parents);
  }
  return found;
}

/**
 * Children before their parents, and each line of history by itself as far as that goes (`--topo-order`, which `--graph` has). Parents that are
 * not among the commits are passed over.
 */
export function inTopologicalOrder(commits: readonly HistoryCommit[]): HistoryCommit[] {
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const waitsFor = new Map(commits.map(({ id }) => [id, 0]));
  for (const { parents } of commits)
    for (const parent of parents) if (byId.has(parent)) waitsFor.set(parent, (waitsFor.get(parent) ?? 0) + 1);
  // The tips stand in the order in which they came, and the first is taken first.
  const stack = commits.filter(({ id }) => waitsFor.get(id) === 0).reverse();
  const ordered: HistoryCommit[] = [];
  for (let next = stack.pop(); next; next = stack.pop()) {
    ordered.push(next);
    for (const parent of next.parents) {
      const commit = byId.get(parent);
      const left = (waitsFor.get(parent) ?? 0) - 1;
      waitsFor.set(parent, left);
      if (commit && left === 0) stack.push(commit);
    }
  }
  return ordered;
}

function assertFew(count: number): void {
  if (count < limits.gitWalkedCommits) return;
  throw new GitCommandError(
    `fatal: there are more than ${limits.gitWalkedCommits} commits, which the git of a shell does not walk`,
  );
}

/** Before those of the same time: what was learned first comes first. */
function placeOf({ committer }: HistoryCommit, known: readonly HistoryCommit[]): number {
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known[middle]?.committer.seconds ?? 0) < committer.seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}
