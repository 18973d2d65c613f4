import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { patchOf } from '../diff/patch.ts';
import type { GitCall } from './git-call.ts';
import { type HistoryCommit, type Signature, zoneText } from './history-commit.ts';
import { changesOf } from './log-writer.ts';
import { parseTime } from './time-of.ts';
import { inTopologicalOrder, walkHistory } from './walk-history.ts';

/** How many merges stand between two commits. */
export async function mergesBetween(repository: Repository, upstream: string, head: string): Promise<number> {
  let count = 0;
  for await (const { parents } of walkHistory(repository, { tips: [head], excluded: [upstream] }))
    if (parents.length > 1) count += 1;
  return count;
}

/** The oldest first, without merges, and without those whose changes the other side has too. */
export async function commitsToPick(
  repository: Repository,
  { upstream, head }: { readonly upstream: string; readonly head: string },
): Promise<HistoryCommit[]> {
  const found: HistoryCommit[] = [];
  for await (const commit of walkHistory(repository, { tips: [head], excluded: [upstream] }))
    found.push(commit);
  const ordered = inTopologicalOrder(found)
    .reverse()
    .filter(({ parents }) => parents.length < 2);
  const theirs = new Set<string>();
  for await (const commit of walkHistory(repository, { tips: [upstream], excluded: [head] }))
    if (commit.parents.length < 2) theirs.add(await patchIdOf(repository, commit));
  if (theirs.size === 0) return ordered;
  const kept: HistoryCommit[] = [];
  for (const commit of ordered) if (!theirs.has(await patchIdOf(repository, commit))) kept.push(commit);
  return kept;
}

/** What a commit changed, wherever in its files. */
async function patchIdOf(repository: Repository, commit: HistoryCommit): Promise<string> {
  const parts: string[] = [];
  for (const change of await changesOf(repository, commit)) {
    repository.signal.throwIfAborted();
    const text = await patchOf(repository, change);
    parts.push(
      text
        .split('\n')
        .filter((line) => !/^(?:@@|index )/.test(line))
        .join('\n')
        .replaceAll(/[ \t]+/g, ''),
    );
  }
  return parts.length === 0 ? commit.id : parts.join('\n');
}

/** The author of a commit, as real git keeps it between commands. */
export function authorScript({ name, email, seconds, zoneMinutes }: Signature): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return `GIT_AUTHOR_NAME=${quote(name)}\nGIT_AUTHOR_EMAIL=${quote(email)}\nGIT_AUTHOR_DATE=${quote(`@${seconds} ${zoneText(zoneMinutes)}`)}\n`;
}

export function parseAuthor(git: GitCall, script: string): Signature | undefined {
  const field = (key: string) =>
    new RegExp(`^GIT_AUTHOR_${key}='(.*)'$`, 'm').exec(script)?.[1]?.replaceAll("'\\''", "'");
  const [name, email, date] = [field('NAME'), field('EMAIL'), field('DATE')];
  if (name === undefined || email === undefined || date === undefined) return undefined;
  return { name, email, ...parseTime(git.call, date) };
}
