import { treeOfFiles } from '../../../../sandbox/git/library/commit-trees.ts';
import type { IndexRow } from '../../../../sandbox/git/library/index-rows.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { TreeFile } from '../../../../sandbox/git/library/tree-changes.ts';
import { contentOf, FilesLook } from '../diff/file-changes.ts';
import { NotInShellError } from '../git-command-error.ts';
import type { GitCall } from './git-call.ts';
import { writeCommit, writeIndexTree } from './make-commit.ts';
import { isWithinPaths } from './path-patterns.ts';
import { unknownFiles } from './work-status.ts';

/** A commit of the files, whose parents are HEAD, a commit of the index, and one of files that git does not know, as real git has it. */
export async function writeStash(
  git: GitCall,
  repository: Repository,
  {
    head,
    now,
    unknown,
    message,
    on,
  }: {
    readonly head: string;
    readonly now: ReadonlyMap<string, TreeFile>;
    readonly unknown: ReadonlyMap<string, TreeFile>;
    readonly message: string;
    readonly on: string;
  },
): Promise<string> {
  const author = await git.signature(repository, 'AUTHOR');
  const treeOf = async (files: ReadonlyMap<string, TreeFile>) => {
    const made = treeOfFiles(
      repository,
      [...files].map(([path, file]) => ({ ...file, path })),
    );
    await made.write((await readCommitParts(repository, head)).tree);
    return made.oid;
  };
  const index = await writeCommit(git, repository, {
    tree: await writeIndexTree(repository),
    parents: [head],
    message: `index on ${on}\n`,
    author,
  });
  const parents = [head, index];
  if (unknown.size > 0)
    parents.push(
      await writeCommit(git, repository, {
        tree: await treeOf(unknown),
        parents: [],
        message: `untracked files on ${on}\n`,
        author,
      }),
    );
  return writeCommit(git, repository, { tree: await treeOf(now), parents, message, author });
}

/** Files that git does not know, written as objects. @throws NotInShellError */
export async function untrackedFiles(
  repository: Repository,
  {
    rows,
    paths,
    isAll,
  }: { readonly rows: readonly IndexRow[]; readonly paths: readonly string[]; readonly isAll: boolean },
): Promise<Map<string, TreeFile>> {
  const found = await unknownFiles(repository, rows, { isAll: true, ignored: isAll });
  if (isAll && found.ignored.some((path) => path.endsWith('/')))
    throw new NotInShellError('fatal: the git of a shell stashes no ignored directories (stash --all)', 128);
  const look = await FilesLook.open(repository);
  const files = new Map<string, TreeFile>();
  for (const path of [...found.untracked, ...(isAll ? found.ignored : [])]) {
    if (path.endsWith('/') || !isWithinPaths(paths, path)) continue;
    const side = await look.at(path, undefined);
    if (!side) continue;
    await repository.library.writeBlob({ ...repository.at, blob: await contentOf(repository, side) });
    files.set(path, { oid: side.oid, mode: side.mode });
  }
  return files;
}
