import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { moveFiles } from '../../../../sandbox/git/library/move-files.ts';
import { putBack } from '../../../../sandbox/git/library/put-back.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import type { PathChange } from '../../../../sandbox/git/library/tree-changes.ts';
import { unstageFiles } from '../../../../sandbox/git/library/unstage-files.ts';
import { fileChanges, filesOfTree, pathOf } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { readHistoryCommit, subjectOf } from './history-commit.ts';
import { moveRef } from './move-ref.ts';
import { mergeState, removeState, writeStateFile } from './operation-state.ts';
import { parseWords } from './parse-words.ts';
import { isExclusion, isWithinPaths } from './path-patterns.ts';
import { assertPaths } from './revision-range.ts';

const reset: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['hard', 'soft', 'mixed', 'quiet q', 'keep', 'merge', 'no-refresh', 'N intent-to-add', 'patch p'],
  });
  for (const option of ['keep', 'merge', 'N', 'patch'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of reset`);
  return git.change(async (repository) => {
    const [first, ...others] = parsed.operands;
    const isRevision =
      first !== undefined &&
      (await commitNamed(repository, first).then(
        () => true,
        () => false,
      ));
    const names = [...(isRevision || first === undefined ? others : parsed.operands), ...parsed.paths];
    const kind = ['hard', 'soft'].find((each) => parsed.has(each));
    await assertPaths(git, repository, isRevision || first === undefined ? others : parsed.operands);
    const head = await repository.head();
    if (names.length > 0) {
      if (kind !== undefined) throw new GitCommandError(`fatal: Cannot do ${kind} reset with paths.`);
      const commit = isRevision ? await commitNamed(repository, first) : head;
      await unstageFiles(repository, {
        paths: await stagedPaths(repository, git.treePaths(names), commit),
        commit,
      });
      if (!parsed.has('quiet')) await tellUnstaged(git, repository);
      return 0;
    }
    if (head === undefined) {
      await unstageFiles(repository, { paths: ['.'], commit: undefined });
      return 0;
    }
    const target = await commitNamed(repository, first ?? 'HEAD');
    if (kind === 'hard')
      await resetHard(git, repository, { target, message: `reset: moving to ${first ?? 'HEAD'}` });
    else {
      if (kind === undefined) await unstageFiles(repository, { paths: ['.'], commit: target });
      await writeStateFile(repository, 'ORIG_HEAD', `${head}\n`);
      await moveRef(git, repository, {
        ref: 'HEAD',
        oid: target,
        message: `reset: moving to ${first ?? 'HEAD'}`,
      });
    }
    if (kind !== 'soft') await removeState(repository, mergeState);
    if (kind === 'hard' && !parsed.has('quiet')) {
      const { message } = await readHistoryCommit(repository, target);
      git.out.add(`HEAD is now at ${target.slice(0, 7)} ${subjectOf(message)}\n`);
    } else if (kind === undefined && !parsed.has('quiet')) await tellUnstaged(git, repository);
    return 0;
  });
};

export const resetCommands: Readonly<Record<string, GitCommand>> = { reset };

/** Wildcards as the paths that they stand for. */
async function stagedPaths(
  repository: Repository,
  asked: readonly string[],
  commit: string | undefined,
): Promise<string[]> {
  if (!asked.some((path) => /[*?[]/.test(path) || isExclusion(path))) return [...asked];
  const known = new Set((await indexRows(repository)).map(({ path }) => path));
  for (const path of (await filesOfTree(repository, commit ?? emptyTree)).keys()) known.add(path);
  return [...known].filter((path) => isWithinPaths(asked, path));
}

async function tellUnstaged(git: GitCall, repository: Repository): Promise<void> {
  const changes = await fileChanges(repository, { older: 'index', newer: 'files' });
  if (changes.length > 0)
    git.out.add(
      `Unstaged changes after reset:\n${changes.map((change) => `${change.kind}\t${repository.quoted(pathOf(change))}\n`).join('')}`,
    );
}

/** Puts index and files at a commit, and HEAD's branch with a message. With `isMerge`, files that are not as the index has them stay. */
export async function resetHard(
  git: GitCall,
  repository: Repository,
  {
    target,
    message,
    isMerge = false,
  }: { readonly target: string; readonly message?: string; readonly isMerge?: boolean },
): Promise<void> {
  const head = await repository.head();
  if (isMerge) await resetMerge(repository, target);
  else await putBack(repository, { commit: target, paths: undefined, what: 'fatal', keepsRef: true });
  if (message === undefined) return;
  if (head !== undefined) await writeStateFile(repository, 'ORIG_HEAD', `${head}\n`);
  await moveRef(git, repository, { ref: 'HEAD', oid: target, message });
}

/** Files that differ between the commit and the index, and those with conflicts, go back to the commit. */
async function resetMerge(repository: Repository, target: string): Promise<void> {
  const rows = await indexRows(repository);
  const wanted = await filesOfTree(repository, target);
  const unmerged = new Set(rows.flatMap(({ path, stage }) => (stage > 0 ? [path] : [])));
  const staged = new Map(rows.map((row) => [row.path, row]));
  const changes: PathChange[] = [];
  for (const path of new Set([...wanted.keys(), ...staged.keys()])) {
    const [is, was] = [wanted.get(path), staged.get(path)];
    if (!unmerged.has(path) && is?.oid === was?.oid && is?.mode === was?.mode) continue;
    changes.push({ path, older: was, newer: is });
  }
  await moveFiles(repository, { changes, force: true, finish: async () => {}, what: 'fatal' });
}
