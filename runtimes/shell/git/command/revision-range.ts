import { mergeBases } from '../../../../sandbox/git/library/merge-bases.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCall } from './git-call.ts';
import { listRefs } from './list-refs.ts';
import type { ParsedWords } from './parse-words.ts';
import { isExclusion } from './path-patterns.ts';
import { reachable } from './walk-history.ts';

/** Flags that stand for the tips of many refs. */
export const refFlags: readonly string[] = ['all', 'branches', 'tags', 'remotes'];

/** What revisions name: where to begin, and what to leave out. */
export interface RevisionRange {
  readonly tips: readonly string[];
  readonly excluded: readonly string[];
  /** Of `A...B`: what only `A` leads to. */
  readonly left: ReadonlySet<string>;
  readonly paths: readonly string[];
}

/**
 * `A`, `^A`, `A..B` and `A...B`, then paths. A word that is neither a revision nor a file that is there or that git knows is an
 * error. @throws GitCommandError
 */
export async function revisionRange(
  git: GitCall,
  repository: Repository,
  parsed: Pick<ParsedWords, 'operands' | 'paths' | 'has'>,
): Promise<RevisionRange> {
  const tips: string[] = [];
  const excluded: string[] = [];
  let left: ReadonlySet<string> = new Set();
  const names = [...parsed.operands];
  while (names.length > 0) {
    const ends = await endsOf(repository, names[0] ?? '');
    if (ends === undefined) break;
    names.shift();
    tips.push(...ends.included);
    excluded.push(...ends.excluded);
    if (ends.left !== undefined) left = await reachable(repository, [ends.left]);
  }
  await assertPaths(git, repository, names);
  if (refFlags.some((flag) => parsed.has(flag))) {
    const head = await repository.head();
    if (parsed.has('all') && head !== undefined) tips.push(head);
    for (const flag of refFlags) {
      if (!parsed.has(flag)) continue;
      const prefix = { all: 'refs', branches: 'refs/heads', tags: 'refs/tags', remotes: 'refs/remotes' }[
        flag
      ];
      for (const { oid } of await listRefs(repository, prefix)) {
        const commit = await commitNamed(repository, oid).catch(() => undefined);
        if (commit !== undefined) tips.push(commit);
      }
    }
  } else if (tips.length === 0) {
    const head = await repository.head();
    if (head !== undefined) tips.push(head);
  }
  return { tips, excluded, left, paths: [...names, ...parsed.paths] };
}

/** @throws GitCommandError for one that neither is there nor is known to git */
export async function assertPaths(
  git: GitCall,
  repository: Repository,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const { library, at } = repository;
  const files = await library.listFiles({ ...at });
  for (const [index, path] of git.treePaths(names).entries()) {
    const isKnown =
      path === '.' ||
      isExclusion(path) ||
      /[*?[]/.test(path) ||
      files.some((file) => file === path || file.startsWith(`${path}/`));
    if (isKnown || git.parts.files.isThere(`${git.directory}/${path}`)) continue;
    throw new GitCommandError(
      `fatal: ambiguous argument '${names[index]}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
    );
  }
}

interface Ends {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
  readonly left?: string;
}

/** `undefined` of a word that is no revision. @throws GitCommandError */
export async function endsOf(repository: Repository, word: string): Promise<Ends | undefined> {
  const find = (name: string) => commitNamed(repository, name || 'HEAD').catch(() => undefined);
  if (word.startsWith('^')) {
    const commit = await find(word.slice(1));
    return commit === undefined ? undefined : { included: [], excluded: [commit] };
  }
  const [, from, dots, to = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(word) ?? [];
  if (from === undefined || word.startsWith('../') || word === '..') {
    const [, merged] = /^(.*)\^!$/.exec(word) ?? [];
    const commit = await find(merged ?? word);
    if (commit === undefined || word === '') return undefined;
    if (merged === undefined) return { included: [commit], excluded: [] };
    return {
      included: [commit],
      excluded: (await readCommitParts(repository, commit)).parents,
    };
  }
  const [left, right] = [await find(from), await find(to)];
  if (left === undefined || right === undefined) return undefined;
  if (dots === '..') return { included: [right], excluded: [left] };
  return { included: [left, right], excluded: await mergeBases(repository, left, right), left };
}
