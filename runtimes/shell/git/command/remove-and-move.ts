import { assertTreePath } from '../../../../sandbox/git/git-names.ts';
import type { IndexChange } from '../../../../sandbox/git/library/index-file.ts';
import { changeIndex, type IndexRow, indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { directoriesAbove } from '../../../../sandbox/git/library/tree-changes.ts';
import { FilesLook, filesOfTree } from '../diff/file-changes.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { parseWords } from './parse-words.ts';
import { isExclusion, isWithinPaths } from './path-patterns.ts';
import { treeOfHead } from './switch-tree.ts';

/** Removes files from the index, and from the working tree; nothing where one of them would lose what is nowhere else. */
export const rm: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['recursive r', 'cached', 'force f', 'quiet q', 'dry-run n', 'ignore-unmatch'],
  });
  const names = [...parsed.operands, ...parsed.paths];
  if (names.length === 0)
    throw new GitCommandError('fatal: No pathspec was given. Which files should I remove?');
  const paths = git.treePaths(names);
  return git.change(async (repository) => {
    const rows = await indexRows(repository);
    for (const [index, path] of paths.entries()) {
      if (isExclusion(path)) continue;
      const own = rows.filter((row) => isWithinPaths([path], row.path));
      if (own.length === 0 && !parsed.has('ignore-unmatch'))
        throw new GitCommandError(`fatal: pathspec '${names[index]}' did not match any files`);
      const isBelow = own.some((row) => row.path !== path) && !/[*?[]/.test(path);
      if (isBelow && !parsed.has('recursive'))
        throw new GitCommandError(`fatal: not removing '${names[index]}' recursively without -r`);
    }
    const wanted = rows.filter((row) => isWithinPaths(paths, row.path));
    if (!parsed.has('force')) await assertKept(repository, wanted, parsed.has('cached'));
    const gone = [...new Set(wanted.map(({ path }) => path))];
    if (!parsed.has('quiet')) for (const path of gone) git.out.add(`rm '${path}'\n`);
    if (parsed.has('dry-run')) return 0;
    if (!parsed.has('cached')) for (const path of gone) await removeFile(repository, path);
    await changeIndex(
      repository,
      gone.map((path) => ({ path })),
    );
    return 0;
  });
};

/** What is changed or staged, and would be lost. @throws GitCommandError */
async function assertKept(
  repository: Repository,
  rows: readonly IndexRow[],
  isCached: boolean,
): Promise<void> {
  const head = await filesOfTree(repository, await treeOfHead(repository));
  const look = await FilesLook.open(repository);
  const lost = { both: [] as string[], staged: [] as string[], changed: [] as string[] };
  for (const row of rows) {
    if (row.stage > 0) continue;
    const [before, now] = [head.get(row.path), await look.at(row.path, row)];
    if (!now) continue;
    const isStaged = before?.oid !== row.oid || before.mode !== row.mode;
    const isChanged = now.oid !== row.oid || now.mode !== row.mode;
    if (isStaged && isChanged) lost.both.push(row.path);
    else if (isStaged && !isCached) lost.staged.push(row.path);
    else if (isChanged && !isCached) lost.changed.push(row.path);
  }
  const text = (paths: readonly string[], [one, many]: readonly [string, string], remedy: string) =>
    paths.length === 0
      ? ''
      : `error: the following ${paths.length === 1 ? `file has ${one}` : `files have ${many}`}\n${paths.map((path) => `    ${path}\n`).join('')}(${remedy})\n`;
  const keep = 'use --cached to keep the file, or -f to force removal';
  const told =
    text(
      lost.both,
      [
        'staged content different from both the\nfile and the HEAD:',
        'staged content different from both the\nfile and the HEAD:',
      ],
      'use -f to force removal',
    ) +
    text(lost.staged, ['changes staged in the index:', 'changes staged in the index:'], keep) +
    text(lost.changed, ['local modifications:', 'local modifications:'], keep);
  if (told !== '') throw new GitCommandError(told.trimEnd(), 1);
}

/** With the directories that are empty then. */
async function removeFile({ at }: Repository, path: string): Promise<void> {
  const { promises } = at.fs;
  const stat = await promises.lstat(`${at.dir}/${path}`).catch(() => undefined);
  if (!stat || stat.isDirectory()) return;
  await promises.unlink(`${at.dir}/${path}`);
  for (const above of directoriesAbove(path)) {
    const isGone = await promises.rmdir(`${at.dir}/${above}`).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** A file or a directory, and where it goes. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly IndexRow[];
}

/** Moves files, and their entries of the index as they are. */
export const mv: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['force f', 'verbose v', 'dry-run n', 'k'] });
  const names = [...parsed.operands, ...parsed.paths];
  const target = names.pop();
  if (target === undefined || names.length === 0)
    throw new GitCommandError('usage: git mv [<options>] <source>... <destination>', 129);
  const [to = ''] = git.treePaths([target]);
  const { files } = git.parts;
  const isInto = files.isDirectory(`${git.directory}/${to}`);
  if (names.length > 1 && !isInto)
    throw new GitCommandError(`fatal: destination '${target}' is not a directory`);
  return git.change(async (repository) => {
    const rows = await indexRows(repository);
    const moves: Move[] = [];
    for (const [index, from] of git.treePaths(names).entries()) {
      const place = isInto ? `${to === '.' ? '' : `${to}/`}${from.slice(from.lastIndexOf('/') + 1)}` : to;
      const own = rows.filter(({ path }) => path === from || path.startsWith(`${from}/`));
      const why = await problemOf(git, { from, to: place, rows: own, isForced: parsed.has('force') });
      if (why === undefined) moves.push({ from, to: place, rows: own });
      else if (!parsed.has('k'))
        throw new GitCommandError(
          `fatal: ${why}, source=${names[index]}, destination=${isInto ? place : target}`,
        );
    }
    for (const { from, to: place } of moves) {
      if (parsed.has('dry-run')) git.out.add(`Checking rename of '${from}' to '${place}'\n`);
      if (parsed.has('dry-run') || parsed.has('verbose')) git.out.add(`Renaming ${from} to ${place}\n`);
    }
    if (!parsed.has('dry-run')) await moveAll(git, repository, moves);
    return 0;
  });
};

async function problemOf(
  git: GitCall,
  { from, to, rows, isForced }: Move & { readonly isForced: boolean },
): Promise<string | undefined> {
  const { files } = git.parts;
  const place = `${git.directory}/${to}`;
  assertTreePath(to, 'cannot move');
  if (!files.isThere(`${git.directory}/${from}`)) return 'bad source';
  if (to === from || to.startsWith(`${from}/`)) return 'can not move directory into itself';
  if (rows.length === 0)
    return files.isDirectory(`${git.directory}/${from}`)
      ? 'source directory is empty'
      : 'not under version control';
  if (rows.some(({ stage }) => stage > 0)) return 'conflicted';
  if (files.isThere(place) && (!isForced || files.isDirectory(place))) return 'destination exists';
  const above = place.slice(0, place.lastIndexOf('/'));
  return files.isDirectory(above) ? undefined : 'destination directory does not exist';
}

async function moveAll(git: GitCall, repository: Repository, moves: readonly Move[]): Promise<void> {
  const { files } = git.parts;
  const changes: IndexChange[] = [];
  for (const { from, to, rows } of moves) {
    const place = `${git.directory}/${to}`;
    if (files.isThere(place)) await files.remove(place);
    await files.rename({ path: `${git.directory}/${from}`, to: place });
    for (const row of rows) {
      const path = `${to}${row.path.slice(from.length)}`;
      const stat = await repository.at.fs.promises.lstat(`${git.directory}/${path}`).catch(() => undefined);
      const { oid, mode } = row;
      const look = await FilesLook.open(repository);
      const isSame = (await look.at(path, undefined))?.oid === oid;
      changes.push({ path: row.path }, { path, file: { oid, mode }, ...(isSame && stat ? { stat } : {}) });
    }
  }
  await changeIndex(repository, changes);
}
