import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, objectOf } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCommand } from './git-call.ts';
import { type HistoryCommit, subjectOf } from './history-commit.ts';
import { listRefs, shortRef } from './list-refs.ts';
import { commitTest, filterFlags, filterOptions } from './log-selection.ts';
import { parseWords } from './parse-words.ts';
import { isListed } from './ref-commands.ts';
import { refFlags, revisionRange } from './revision-range.ts';
import { reachable, walkHistory } from './walk-history.ts';
import { isClean, workStatus } from './work-status.ts';

/** Tags that git looks at before it takes the nearest of them. */
const mostCandidates = 10;

interface NamedCommit {
  readonly name: string;
  readonly rank: number;
  readonly seconds: number;
}

const describe: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['tags', 'all', 'always', 'long', 'dirty', 'exact-match', 'abbrev', 'first-parent'],
    values: ['match', 'exclude', 'candidates'],
  });
  const repository = await git.open();
  const [name = 'HEAD'] = parsed.operands;
  const commit = await commitNamed(repository, name).catch(() => {
    throw new GitCommandError(`fatal: Not a valid object name ${name}`);
  });
  const names = await namesOf(repository, {
    isAll: parsed.has('all'),
    rank: parsed.has('all') ? 0 : parsed.has('tags') ? 1 : 2,
    isWanted: (tag) =>
      isListed(parsed.values('match'), tag) &&
      (parsed.values('exclude').length === 0 || !isListed(parsed.values('exclude'), tag)),
  });
  const digits = parsed.value('abbrev') ? Number(parsed.value('abbrev')) : 7;
  const suffix =
    parsed.has('dirty') && !isClean(await workStatus(repository, { untracked: 'no' }))
      ? parsed.value('dirty') || '-dirty'
      : '';
  const exact = names.get(commit);
  if (exact) {
    git.out.add(`${exact.name}${parsed.has('long') ? `-0-g${commit.slice(0, digits || 7)}` : ''}${suffix}\n`);
    return 0;
  }
  const isExact = parsed.has('exact-match') || parsed.value('candidates') === '0';
  const nearest = isExact
    ? undefined
    : await nearestOf(repository, { commit, names, isFirstParent: parsed.has('first-parent') });
  if (nearest) {
    const end = digits === 0 ? '' : `-${nearest.depth}-g${commit.slice(0, digits)}`;
    git.out.add(`${nearest.name}${end}${suffix}\n`);
    return 0;
  }
  if (parsed.has('always')) {
    git.out.add(`${commit.slice(0, digits || 40)}${suffix}\n`);
    return 0;
  }
  if (isExact) throw new GitCommandError(`fatal: no tag exactly matches '${commit}'`);
  const isAny = names.size > 0 || parsed.has('tags');
  throw new GitCommandError(
    isAny || (await listRefs(repository, 'refs/tags')).length === 0
      ? names.size > 0
        ? `fatal: No tags can describe '${commit}'.\nTry --always, or create some tags.`
        : 'fatal: No names found, cannot describe anything.'
      : `fatal: No annotated tags can describe '${commit}'.\nHowever, there were unannotated tags: try --tags.`,
  );
};

const shortlog: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['summary s', 'numbered n', 'email e', 'committer c', ...refFlags, ...filterFlags],
    values: [...filterOptions],
  });
  const repository = await git.open();
  const range = await revisionRange(git, repository, parsed);
  if (range.paths.length > 0)
    throw new NotInShellError(
      'fatal: the git of a shell counts no commits by path; git log -- <path> lists them',
      128,
    );
  const test = commitTest(git, parsed);
  const byPerson = new Map<string, HistoryCommit[]>();
  for await (const commit of walkHistory(repository, range)) {
    if (test && !test(commit)) continue;
    const who = parsed.has('committer') ? commit.committer : commit.author;
    const name = parsed.has('email') ? `${who.name} <${who.email}>` : who.name;
    const known = byPerson.get(name);
    if (known) known.push(commit);
    else byPerson.set(name, [commit]);
  }
  const sorted = [...byPerson].sort(([a], [b]) => (a < b ? -1 : 1));
  if (parsed.has('numbered')) sorted.sort(([, a], [, b]) => b.length - a.length);
  for (const [name, commits] of sorted) {
    if (parsed.has('summary')) git.out.add(`${String(commits.length).padStart(6)}\t${name}\n`);
    else
      git.out.add(
        `${name} (${commits.length}):\n${commits
          .reverse()
          .map(({ message }) => `      ${subjectOf(message)}\n`)
          .join('')}\n`,
      );
  }
  return 0;
};

export const describeCommands: Readonly<Record<string, GitCommand>> = { describe, shortlog };

/** Annotated tags come before others, and younger ones before older ones. */
async function namesOf(
  repository: Repository,
  {
    isAll,
    rank,
    isWanted,
  }: { readonly isAll: boolean; readonly rank: number; readonly isWanted: (name: string) => boolean },
): Promise<Map<string, NamedCommit>> {
  const found = new Map<string, NamedCommit>();
  for (const { name, oid } of await listRefs(repository, isAll ? 'refs' : 'refs/tags')) {
    const isTag = name.startsWith('refs/tags/');
    if (isTag && !isWanted(shortRef(name))) continue;
    const object = await objectOf(repository, oid);
    const own = object.type === 'tag' ? 2 : isTag ? 1 : 0;
    const commit = await commitNamed(repository, oid).catch(() => undefined);
    if (commit === undefined || own < rank) continue;
    const seconds =
      object.type === 'tag'
        ? ((await repository.library.readTag({ ...repository.at, oid })).tag.tagger?.timestamp ?? 0)
        : 0;
    const known = found.get(commit);
    if (known && (known.rank > own || (known.rank === own && known.seconds >= seconds))) continue;
    found.set(commit, { name: isAll ? name.replace(/^refs\//, '') : shortRef(name), rank: own, seconds });
  }
  return found;
}

/** The name that the fewest commits lead to; among as near ones, the one that was met first. */
async function nearestOf(
  repository: Repository,
  {
    commit,
    names,
    isFirstParent,
  }: {
    readonly commit: string;
    readonly names: ReadonlyMap<string, NamedCommit>;
    readonly isFirstParent: boolean;
  },
): Promise<{ readonly name: string; readonly depth: number } | undefined> {
  const candidates: string[] = [];
  for await (const { id } of walkHistory(repository, { tips: [commit], isFirstParent })) {
    if (!names.has(id)) continue;
    candidates.push(id);
    if (candidates.length >= mostCandidates) break;
  }
  const all = await reachable(repository, [commit]);
  let best: { readonly name: string; readonly depth: number } | undefined;
  for (const id of candidates) {
    const depth = all.size - (await reachable(repository, [id])).size;
    if (!best || depth < best.depth) best = { name: names.get(id)?.name ?? '', depth };
  }
  return best;
}
