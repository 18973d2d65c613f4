import { limits } from '../../../../protocol/limits.ts';
import type { GitCommit } from '../../../../protocol/sandbox/git.ts';
import { commitOf } from '../../../../sandbox/git/library/commit-staged.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { GitCommandError } from './git-command-error.ts';

/**
 * Commits and all that they come from, without those in `without`: the youngest first of those that are known by then, as git
 * shows them. @throws GitCommandError after `limits.gitWalkedCommits`
 */
export async function* walkCommits(
  repository: Repository,
  { tips, without = new Set() }: { readonly tips: Iterable<string>; readonly without?: ReadonlySet<string> },
): AsyncGenerator<GitCommit> {
  const { library, at, signal } = repository;
  const ends = await shallowEnds(repository);
  const seen = new Set<string>();
  /** The oldest first. */
  const known: GitCommit[] = [];
  const learn = async (oid: string): Promise<void> => {
    if (seen.has(oid) || without.has(oid)) return;
    signal.throwIfAborted();
    if (seen.size >= limits.gitWalkedCommits)
      throw new GitCommandError(
        `fatal: there are more than ${limits.gitWalkedCommits} commits, which the git of a shell does not walk`,
      );
    seen.add(oid);
    const commit = commitOf(await library.readCommit({ ...at, oid }));
    known.splice(placeOf(commit, known), 0, commit);
  };
  for (const tip of tips) await learn(tip);
  for (let next = known.pop(); next; next = known.pop()) {
    yield next;
    if (!ends.has(next.id)) for (const parent of next.parents) await learn(parent);
  }
}

/** Before those of the same time: what was learned first comes first. */
function placeOf({ authoredAtMs }: GitCommit, known: readonly GitCommit[]): number {
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known[middle]?.authoredAtMs ?? 0) < authoredAtMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Commits of which a clone has no parents. */
async function shallowEnds({ at }: Repository): Promise<ReadonlySet<string>> {
  const text = await at.fs.promises.readFile(`${at.dir}/.git/shallow`, 'utf8').catch(() => '');
  return new Set(String(text).split('\n'));
}
