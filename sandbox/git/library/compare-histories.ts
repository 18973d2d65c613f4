import { limits } from '../../../protocol/limits.ts';
import type { GitUpstream } from '../../../protocol/sandbox/git.ts';
import type { Repository } from './repository.ts';

const isOurs = 1;
const isTheirs = 2;
const isBoth = isOurs | isTheirs;

interface Waiting {
  readonly oid: string;
  readonly seconds: number;
  readonly parents: readonly string[];
}

/**
 * Counts the commits that only one of two has, newest first, until what is left leads to both or `limits.gitComparedCommits`
 * were looked at. Past the end of a shallow clone there is nothing.
 */
export async function compareHistories(
  repository: Repository,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<Omit<GitUpstream, 'name'>> {
  const shallow = await repository.shallowCommits();
  const sides = new Map<string, number>();
  const waiting: Waiting[] = [];
  let looked = 0;
  const reach = async (oid: string, side: number) => {
    const known = sides.get(oid) ?? 0;
    if ((known | side) === known) return;
    sides.set(oid, known | side);
    waiting.push(await commitAt(repository, { oid, shallow }));
  };
  await reach(ours, isOurs);
  await reach(theirs, isTheirs);
  while (waiting.some(({ oid }) => sides.get(oid) !== isBoth) && looked < limits.gitComparedCommits) {
    repository.signal.throwIfAborted();
    const { oid, parents } = takeNewest(waiting);
    looked += 1;
    for (const parent of parents) await reach(parent, sides.get(oid) ?? 0);
  }
  const isMore = waiting.some(({ oid }) => sides.get(oid) !== isBoth);
  const count = (side: number) => [...sides.values()].filter((each) => each === side).length;
  return { ahead: count(isOurs), behind: count(isTheirs), isMore };
}

async function commitAt(
  { library, at }: Repository,
  { oid, shallow }: { readonly oid: string; readonly shallow: ReadonlySet<string> },
): Promise<Waiting> {
  const { commit } = await library.readCommit({ ...at, oid });
  const parents = shallow.has(oid) ? [] : commit.parent;
  return { oid, parents, seconds: commit.committer.timestamp };
}

function takeNewest(waiting: Waiting[]): Waiting {
  let newest = 0;
  for (const [index, { seconds }] of waiting.entries()) {
    if (seconds > (waiting[newest]?.seconds ?? 0)) newest = index;
  }
  const [taken] = waiting.splice(newest, 1);
  if (!taken) throw new Error('No commit waits');
  return taken;
}
