import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { readCommitParts, secondsOf } from './read-commit.ts';
import type { Repository } from './repository.ts';

/** Who leads to a commit: one side, the other; whether it is behind a base that was found. */
const [ofOne, ofOther, isStale] = [1, 2, 4];
const ofBoth = ofOne | ofOther;

interface Painted {
  readonly oid: string;
  readonly seconds: number;
  readonly parents: readonly string[];
}

/**
 * The commits that two come from and that no other such commit comes from, the youngest first (git's `merge_bases_many`). The library's
 * own answer are those with the fewest steps, which may be others.
 */
export async function mergeBases(repository: Repository, one: string, other: string): Promise<string[]> {
  if (one === other) return [one];
  const found = await painted(repository, one, other);
  if (found.length > limits.gitMergedBases) throw tooFar();
  const bases: Painted[] = [];
  // A clock that went back lets one through that is behind another.
  for (const base of found) {
    let isBehind = false;
    for (const each of found)
      if (each !== base && (await comesFrom(repository, each.oid, base))) isBehind = true;
    if (!isBehind) bases.push(base);
  }
  return bases.sort((a, b) => b.seconds - a.seconds).map(({ oid }) => oid);
}

async function painted(repository: Repository, one: string, other: string): Promise<Painted[]> {
  const ends = await repository.shallowCommits();
  const marks = new Map<string, number>();
  const waiting = new Queue();
  const bases = new Map<string, Painted>();
  const reach = async (oid: string, mark: number) => {
    const known = marks.get(oid) ?? 0;
    if ((known & mark) === mark) return;
    if (marks.size >= limits.gitWalkedCommits) throw tooFar();
    marks.set(oid, known | mark);
    waiting.add(await read(repository, oid, ends));
  };
  await reach(one, ofOne);
  await reach(other, ofOther);
  while (waiting.some(({ oid }) => ((marks.get(oid) ?? 0) & isStale) === 0)) {
    repository.signal.throwIfAborted();
    const commit = waiting.next();
    if (!commit) break;
    let mark = (marks.get(commit.oid) ?? 0) & (ofBoth | isStale);
    if (mark === ofBoth) {
      bases.set(commit.oid, commit);
      mark |= isStale;
    }
    for (const parent of commit.parents) await reach(parent, mark);
  }
  return [...bases.values()].filter(({ oid }) => ((marks.get(oid) ?? 0) & isStale) === 0);
}

/** Whether a commit comes from another one. */
async function comesFrom(repository: Repository, from: string, to: Painted): Promise<boolean> {
  const ends = await repository.shallowCommits();
  const seen = new Set<string>();
  const waiting = [from];
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (oid === to.oid) return true;
    if (seen.has(oid)) continue;
    repository.signal.throwIfAborted();
    if (seen.size >= limits.gitWalkedCommits) throw tooFar();
    seen.add(oid);
    waiting.push(...(await read(repository, oid, ends)).parents);
  }
  return false;
}

async function read(repository: Repository, oid: string, ends: ReadonlySet<string>): Promise<Painted> {
  const { parents, committer } = await readCommitParts(repository, oid);
  return { oid, seconds: secondsOf(committer), parents: ends.has(oid) ? [] : parents };
}

function tooFar(): SandboxError {
  return new SandboxError(
    'limit-exceeded',
    `what two commits come from is more than ${limits.gitWalkedCommits} commits away, or more than ${limits.gitMergedBases} commits`,
    { details: { remedy: 'Use git in a machine or on a host.' } },
  );
}

/** Commits, the youngest first. */
class Queue {
  /** The oldest first. */
  readonly #commits: Painted[] = [];

  add(commit: Painted): void {
    let [low, high] = [0, this.#commits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#commits[middle]?.seconds ?? 0) < commit.seconds) low = middle + 1;
      else high = middle;
    }
    this.#commits.splice(low, 0, commit);
  }

  next(): Painted | undefined {
    return this.#commits.pop();
  }

  some(test: (commit: Painted) => boolean): boolean {
    // The youngest are seldom stale, and come last.
    return this.#commits.findLast(test) !== undefined;
  }
}
