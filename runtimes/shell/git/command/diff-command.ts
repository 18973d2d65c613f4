import { mergeBases } from '../../../../sandbox/git/library/merge-bases.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, objectOf, treeNamed } from '../../../../sandbox/git/library/revisions.ts';
import { unmergedPatches } from '../diff/combined-patch.ts';
import { type Compared, type FileChange, fileChanges } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { changeFlags, changesText, changeValues, chosenChanges, showsChanges } from './change-output.ts';
import type { GitCommand } from './git-call.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { assertPaths } from './revision-range.ts';

const diff: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['staged cached', 'merge-base', 'ours 2', 'theirs 3', 'base 1', 'R', ...changeFlags],
    values: [...changeValues],
  });
  const repository = await git.open();
  const { sides, names } = await sidesOf(repository, parsed);
  await assertPaths(git, repository, names);
  const paths = git.treePaths([...names, ...parsed.paths]);
  for (const side of ['ours', 'theirs', 'base', 'merge-base'])
    if (parsed.has(side))
      throw new NotInShellError(
        `fatal: the git of a shell compares with no side of a conflict (--${side}); git show :2:FILE shows ours, :3:FILE theirs`,
        128,
      );
  const changes =
    sides.length === 0 || !sides.every((side) => 'blob' in side)
      ? await treesChanged(repository, parsed, sides)
      : blobsChanged(sides);
  const chosen = await chosenChanges(repository, parsed.has('R') ? reversed(changes) : changes, {
    parsed,
    paths,
  });
  const isPatch = parsed.has('patch') || parsed.has('unified') || !showsChanges(parsed);
  if (!parsed.has('quiet') && !parsed.has('no-patch')) {
    const unmerged = chosen.filter(({ kind }) => kind === 'U');
    const rest =
      isPatch && sides.length === 0 && !parsed.has('staged')
        ? chosen.filter(({ kind }) => kind !== 'U')
        : chosen;
    if (rest !== chosen) git.out.add(await unmergedPatches(repository, unmerged));
    git.out.add(await changesText(repository, rest, { parsed }));
  }
  return (parsed.has('quiet') || parsed.has('exit-code')) && chosen.length > 0 ? 1 : 0;
};

export const diffCommands: Readonly<Record<string, GitCommand>> = { diff };

type Side = { readonly tree: string } | { readonly blob: NonNullable<FileChange['older']> };

/** Revisions first, two at most; then paths. */
async function sidesOf(
  repository: Repository,
  { operands }: ParsedWords,
): Promise<{ readonly sides: readonly Side[]; readonly names: readonly string[] }> {
  const names = [...operands];
  const sides: Side[] = [];
  while (names.length > 0 && sides.length < 2) {
    const found = await sidesOfWord(repository, names[0] ?? '');
    if (found === undefined) break;
    sides.push(...found);
    names.shift();
  }
  return { sides, names };
}

/** `A`, `A..B`, or `A...B`, which begins where both come from. `undefined` of what is none. @throws GitCommandError */
async function sidesOfWord(repository: Repository, word: string): Promise<Side[] | undefined> {
  const [, from, dots, to = ''] = word.startsWith('../') ? [] : (/^(.*?)(\.{2,3})(.*)$/.exec(word) ?? []);
  if (from === undefined || word === '..') {
    const object = await objectOf(repository, word).catch(() => undefined);
    if (object === undefined) return undefined;
    if (object.type !== 'blob') return [{ tree: await treeNamed(repository, word) }];
    const { oid, path = word, mode = 0o100644 } = object;
    return [{ blob: { oid, path, mode } }];
  }
  const [left, right] = await Promise.all(
    [from, to].map((name) => commitNamed(repository, name || 'HEAD').catch(() => undefined)),
  );
  if (left === undefined || right === undefined) return undefined;
  if (dots === '..') return [{ tree: left }, { tree: right }];
  const [base] = await mergeBases(repository, left, right);
  if (base === undefined) throw new GitCommandError(`fatal: ${word}: no merge base`);
  return [{ tree: base }, { tree: right }];
}

async function treesChanged(
  repository: Repository,
  parsed: ParsedWords,
  sides: readonly Side[],
): Promise<FileChange[]> {
  const trees = sides.map((side) => {
    if ('tree' in side) return { tree: side.tree };
    throw new NotInShellError(
      'fatal: the git of a shell compares a file of a commit only with another one',
      128,
    );
  });
  const [first, second] = trees;
  if (first && second) return fileChanges(repository, { older: first, newer: second });
  const head: Compared = { tree: (await repository.head()) ?? emptyTree };
  if (parsed.has('staged')) return fileChanges(repository, { older: first ?? head, newer: 'index' });
  return fileChanges(repository, { older: first ?? 'index', newer: 'files' });
}

function blobsChanged(sides: readonly Side[]): FileChange[] {
  const [older, newer] = sides.map((side) => ('blob' in side ? side.blob : undefined));
  if (!older || !newer)
    throw new NotInShellError(
      'fatal: the git of a shell compares a file of a commit only with another one',
      128,
    );
  return older.oid === newer.oid ? [] : [{ kind: 'M', older, newer }];
}

function reversed(changes: readonly FileChange[]): FileChange[] {
  return changes.map(({ kind, older, newer, ...rest }) => ({
    ...rest,
    kind: kind === 'A' ? 'D' : kind === 'D' ? 'A' : kind,
    older: newer,
    newer: older,
  }));
}
