import { changeIndex, indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { moveFiles } from '../../../../sandbox/git/library/move-files.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import type { PathChange } from '../../../../sandbox/git/library/tree-changes.ts';
import { FilesLook, filesOfTree } from '../diff/file-changes.ts';
import { GitCommandError } from '../git-command-error.ts';
import { mergeTrees } from '../merge/merge-trees.ts';
import type { GitCall } from './git-call.ts';
import type { HistoryCommit } from './history-commit.ts';
import { writeIndexTree } from './make-commit.ts';
import { applyMerge } from './switch-tree.ts';

/** Brings what was stashed into the files; answers whether without conflicts. */
export async function applyStash(
  git: GitCall,
  repository: Repository,
  { commit, withIndex }: { readonly commit: HistoryCommit; readonly withIndex: boolean },
): Promise<boolean> {
  const [head = '', staged = '', unknown] = commit.parents;
  const rows = await indexRows(repository);
  const before = new Map(rows.map((row) => [row.path, row]));
  const ours = await writeIndexTree(repository);
  const treeOf = async (id: string) =>
    (await readCommitParts(repository, await commitNamed(repository, id))).tree;
  const base = await treeOf(head);
  const labels = { ours: 'Updated upstream', theirs: 'Stashed changes' };
  const index = withIndex
    ? await mergeTrees(repository, { base, ours, theirs: await treeOf(staged), labels })
    : undefined;
  if (index && !index.isClean)
    throw new GitCommandError('error: conflicts in index. Try without --index.', 1);
  if (unknown !== undefined) await restoreUnknown(repository, await treeOf(unknown));
  const merged = await mergeTrees(repository, { base, ours, theirs: commit.tree, labels });
  await applyMerge(repository, { merged, verb: 'merge' });
  for (const message of merged.messages) git.out.add(`${message}\n`);
  if (!merged.isClean) return false;
  const added = index
    ? []
    : merged.paths.filter(({ ours: own, result }) => !own && result).map(({ path }) => path);
  const wanted = new Map(index?.paths.map(({ path, result }) => [path, result]) ?? []);
  await changeIndex(
    repository,
    merged.paths
      .filter(({ path }) => !added.includes(path))
      .map(({ path }) => {
        const file = wanted.has(path) ? wanted.get(path) : before.get(path);
        return file ? { path, file } : { path };
      }),
  );
  return true;
}

async function restoreUnknown(repository: Repository, tree: string): Promise<void> {
  const files = await filesOfTree(repository, tree);
  const look = await FilesLook.open(repository);
  const taken: string[] = [];
  for (const path of files.keys()) if (await look.at(path, undefined)) taken.push(path);
  if (taken.length > 0)
    throw new GitCommandError(
      `${taken.map((path) => `${path} already exists, no checkout\n`).join('')}error: could not restore untracked files from stash`,
      1,
    );
  const changes = [...files].map(([path, newer]): PathChange => ({ path, older: undefined, newer }));
  await moveFiles(repository, { changes, finish: async () => {}, what: 'fatal' });
  await changeIndex(
    repository,
    changes.map(({ path }) => ({ path })),
  );
}
