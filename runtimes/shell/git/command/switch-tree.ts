import { SandboxError } from '../../../../protocol/errors.ts';
import type { ConflictSides } from '../../../../sandbox/git/library/index-file.ts';
import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { moveFiles } from '../../../../sandbox/git/library/move-files.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { type PathChange, treeChanges } from '../../../../sandbox/git/library/tree-changes.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { MergedTrees } from '../merge/merge-trees.ts';
import { unmergedOf } from './work-status.ts';

/**
 * Moves index and files from one tree to another. What is staged or changed stays, where the trees do not differ there.
 * @throws GitCommandError where something would be lost; then nothing was changed
 */
export async function switchTree(
  repository: Repository,
  {
    from,
    to,
    verb,
    finish,
  }: {
    readonly from: string;
    readonly to: string;
    readonly verb: string;
    readonly finish: (lasting: Repository) => Promise<void>;
  },
): Promise<void> {
  const rows = await indexRows(repository);
  const unmerged = unmergedOf(rows);
  if (unmerged.size > 0)
    throw new GitCommandError(
      `${[...unmerged.keys()].map((path) => `${path}: needs merge\n`).join('')}error: you need to resolve your current index first`,
      1,
    );
  const staged = new Map(rows.map((row) => [row.path, row]));
  const lost: string[] = [];
  const changes: PathChange[] = [];
  for (const change of await treeChanges(repository, { older: from, newer: to })) {
    const row = staged.get(change.path);
    const isAs = (file: PathChange['older']) => file?.oid === row?.oid && file?.mode === row?.mode;
    if (isAs(change.newer)) continue;
    if (!isAs(change.older)) lost.push(change.path);
    else changes.push(change);
  }
  if (lost.length > 0) throw wouldBeLost(lost, verb);
  await move(repository, { changes, verb, finish });
}

/** Puts index and files at what a merge has come to; of conflicts, the index gets all sides. */
export async function applyMerge(
  repository: Repository,
  {
    merged,
    verb,
    finish = async () => {},
  }: {
    readonly merged: MergedTrees;
    readonly verb: string;
    readonly finish?: (lasting: Repository) => Promise<void>;
  },
): Promise<void> {
  const changes = merged.paths.map(
    ({ path, ours, result }): PathChange => ({ path, older: ours, newer: result }),
  );
  const sides = new Map<string, ConflictSides>(
    merged.paths.flatMap((each) => (each.sides ? [[each.path, each.sides] as const] : [])),
  );
  await move(repository, { changes, sides, verb, finish });
}

async function move(
  repository: Repository,
  options: {
    readonly changes: readonly PathChange[];
    readonly sides?: ReadonlyMap<string, ConflictSides>;
    readonly verb: string;
    readonly finish: (lasting: Repository) => Promise<void>;
  },
): Promise<void> {
  const { verb, ...rest } = options;
  try {
    await moveFiles(repository, { ...rest, what: 'fatal' });
  } catch (error) {
    const { paths } = error instanceof SandboxError ? error.details : {};
    if (!Array.isArray(paths) || paths.length === 0) throw error;
    throw wouldBeLost(paths as string[], verb);
  }
}

function wouldBeLost(paths: readonly string[], verb: string): GitCommandError {
  const list = [...paths].sort().map((path) => `\t${path}\n`);
  const before = verb === 'checkout' ? 'switch branches' : verb;
  return new GitCommandError(
    `error: Your local changes to the following files would be overwritten by ${verb}:\n${list.join('')}Please commit your changes or stash them before you ${before}.\nAborting`,
    1,
  );
}

/** Of HEAD; of nothing before the first commit. */
export async function treeOfHead(repository: Repository): Promise<string> {
  return (await repository.head()) ?? emptyTree;
}

/** @throws GitCommandError where the index is not as HEAD */
export async function assertIndexIsHead(repository: Repository, verb: string): Promise<void> {
  const rows = await indexRows(repository);
  const unmerged = unmergedOf(rows);
  if (unmerged.size > 0)
    throw new GitCommandError(
      `error: ${verb === 'merge' ? 'Merging' : verb === 'revert' ? 'Reverting' : 'Cherry-picking'} is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: ${verb === 'merge' ? 'Exiting because of an unresolved conflict.' : `${verb} failed`}`,
    );
  const { fileChanges } = await import('../diff/file-changes.ts');
  const changes = await fileChanges(repository, {
    older: { tree: await treeOfHead(repository) },
    newer: 'index',
  });
  if (changes.length > 0)
    throw wouldBeLost(
      changes.map(({ older, newer }) => (newer ?? older)?.path ?? ''),
      verb,
    );
}
