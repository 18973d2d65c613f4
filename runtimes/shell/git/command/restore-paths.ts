import type { IndexChange } from '../../../../sandbox/git/library/index-file.ts';
import { changeIndex, type IndexRow, indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { moveFiles } from '../../../../sandbox/git/library/move-files.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { PathChange, TreeFile } from '../../../../sandbox/git/library/tree-changes.ts';
import { FilesLook } from '../diff/file-changes.ts';
import { GitCommandError } from '../git-command-error.ts';
import { isExclusion, isWithinPaths } from './path-patterns.ts';

interface Restoring {
  /** Of the tree, and as the caller wrote them. */
  readonly paths: readonly string[];
  readonly names: readonly string[];
}

/**
 * Puts files back as they are in the index, or as `files` has them while the index stays; answers how many. @throws GitCommandError for a
 * path that there is none of, or that has a conflict
 */
export async function restoreFromIndex(
  repository: Repository,
  {
    paths,
    names,
    files,
    isForced = false,
  }: Restoring & { readonly files?: ReadonlyMap<string, TreeFile>; readonly isForced?: boolean },
): Promise<number> {
  const rows = await indexRows(repository);
  const asked = rows.filter(({ path }) => isWithinPaths(paths, path));
  for (const [index, path] of paths.entries())
    if (path !== '.' && !isExclusion(path) && !files && !asked.some((row) => isWithinPaths([path], row.path)))
      throw new GitCommandError(
        `error: pathspec '${names[index]}' did not match any file(s) known to git`,
        1,
      );
  const unmerged = new Set(asked.flatMap(({ path, stage }) => (stage > 0 ? [path] : [])));
  if (unmerged.size > 0 && !files && !isForced)
    throw new GitCommandError([...unmerged].map((path) => `error: path '${path}' is unmerged`).join('\n'), 1);
  const staged = new Map(asked.map((row) => [row.path, row]));
  const wanted = files ? new Set([...files.keys(), ...staged.keys()]) : staged.keys();
  const look = await FilesLook.open(repository);
  const changes: PathChange[] = [];
  for (const path of wanted) {
    if (!isWithinPaths(paths, path) || (unmerged.has(path) && !files)) continue;
    const row = staged.get(path);
    const newer = files ? files.get(path) : row;
    const present = await look.at(path, row?.stage === 0 ? row : undefined);
    if (present?.oid === newer?.oid && present?.mode === newer?.mode) continue;
    changes.push({ path, older: present, newer });
  }
  await rewrite(repository, changes, rows);
  return changes.length;
}

/** Writes one side of conflicts into the files; the index keeps the conflicts. */
export async function restoreSide(
  repository: Repository,
  { paths, names, stage }: Restoring & { readonly stage: 2 | 3 },
): Promise<number> {
  const rows = await indexRows(repository);
  const asked = rows.filter(({ path }) => isWithinPaths(paths, path));
  if (asked.length === 0)
    throw new GitCommandError(`error: pathspec '${names[0]}' did not match any file(s) known to git`, 1);
  const unmerged = new Set(asked.flatMap((row) => (row.stage > 0 ? [row.path] : [])));
  const look = await FilesLook.open(repository);
  const changes: PathChange[] = [];
  for (const path of unmerged) {
    const side = asked.find((row) => row.path === path && row.stage === stage);
    if (!side)
      throw new GitCommandError(
        `error: path '${path}' does not have ${stage === 2 ? 'our' : 'their'} version`,
        1,
      );
    changes.push({ path, older: await look.at(path, undefined), newer: side });
  }
  await rewrite(repository, changes, rows);
  return changes.length;
}

/** Moves files whatever they are now, with the index as it was but for their times. */
async function rewrite(
  repository: Repository,
  changes: readonly PathChange[],
  rows: readonly IndexRow[],
): Promise<void> {
  const touched = new Set(changes.map(({ path }) => path));
  const before = new Map<string, IndexRow[]>();
  for (const row of rows)
    if (touched.has(row.path)) before.set(row.path, [...(before.get(row.path) ?? []), row]);
  await moveFiles(repository, { changes, force: true, finish: async () => {}, what: 'fatal' });
  const back: IndexChange[] = [];
  for (const { path, newer } of changes) {
    const own = before.get(path) ?? [];
    const [only] = own;
    if (only?.stage === 0 && only.oid === newer?.oid && only.mode === newer.mode) continue;
    if (only?.stage === 0) back.push({ path, file: only });
    else if (!only) back.push({ path });
    else
      back.push({
        path,
        sides: [1, 2, 3].map((stage) => own.find((row) => row.stage === stage)) as unknown as NonNullable<
          IndexChange['sides']
        >,
      });
  }
  await changeIndex(repository, back);
}
