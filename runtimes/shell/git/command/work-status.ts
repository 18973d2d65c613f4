import { type IndexRow, indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { compareNames, type FileChange, fileChanges, pathOf } from '../diff/file-changes.ts';
import { findRenames } from '../diff/find-renames.ts';
import { IgnoreRules } from './ignore-rules.ts';

export interface WorkStatus {
  readonly head: string | undefined;
  readonly branch: string | undefined;
  /** The index, compared with HEAD, with renames. */
  readonly staged: readonly FileChange[];
  /** The files, compared with the index. */
  readonly unstaged: readonly FileChange[];
  /** Two letters for each file with a conflict, by path. */
  readonly unmerged: ReadonlyMap<string, string>;
  /** Files, and directories in which git knows nothing, with a slash. */
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
}

export async function workStatus(
  repository: Repository,
  {
    untracked = 'normal',
    ignored = false,
  }: { readonly untracked?: 'no' | 'normal' | 'all'; readonly ignored?: boolean } = {},
): Promise<WorkStatus> {
  const head = await repository.head();
  const staged = await fileChanges(repository, { older: { tree: head ?? emptyTree }, newer: 'index' });
  const unstaged = await fileChanges(repository, { older: 'index', newer: 'files' });
  const rows = await indexRows(repository);
  const found =
    untracked === 'no'
      ? { untracked: [], ignored: [] }
      : await unknownFiles(repository, rows, { isAll: untracked === 'all', ignored });
  return {
    head,
    branch: await repository.branch(),
    staged: await findRenames(
      repository,
      staged.filter(({ kind }) => kind !== 'U'),
    ),
    unstaged: unstaged.filter(({ kind }) => kind !== 'U'),
    unmerged: unmergedOf(rows),
    ...found,
  };
}

export function unmergedOf(rows: readonly IndexRow[]): Map<string, string> {
  const bits = new Map<string, number>();
  for (const { path, stage } of rows)
    if (stage > 0) bits.set(path, (bits.get(path) ?? 0) | (1 << (stage - 1)));
  return new Map([...bits].map(([path, stages]) => [path, lettersOf(stages)]));
}

function lettersOf(stages: number): string {
  const [base, ours, theirs] = [stages & 1, stages & 2, stages & 4];
  if (base) return ours ? (theirs ? 'UU' : 'UD') : theirs ? 'DU' : 'DD';
  return ours ? (theirs ? 'AA' : 'AU') : 'UA';
}

/** What git does not know: a directory stands for all in it, unless git knows something there. */
export async function unknownFiles(
  repository: Repository,
  rows: readonly { readonly path: string; readonly mode: number }[],
  { isAll, ignored }: { readonly isAll: boolean; readonly ignored: boolean },
): Promise<{ readonly untracked: string[]; readonly ignored: string[] }> {
  const known = new Map(rows.map(({ path, mode }) => [path, mode]));
  const directories = new Set<string>();
  for (const path of known.keys()) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  const rules = new IgnoreRules(repository);
  const { promises } = repository.at.fs;
  const found = { untracked: [] as string[], ignored: [] as string[] };
  /** Answers whether anything in it is not ignored. */
  const look = async (
    directory: string,
    isCollected: boolean,
  ): Promise<'untracked' | 'ignored' | 'nothing'> => {
    let kind: 'untracked' | 'ignored' | 'nothing' = 'nothing';
    const names = await promises.readdir(
      directory === '' ? repository.at.dir : `${repository.at.dir}/${directory}`,
    );
    for (const name of names.sort(compareNames)) {
      repository.signal.throwIfAborted();
      if (name === '.git') continue;
      const path = directory === '' ? name : `${directory}/${name}`;
      const stat = await promises.lstat(`${repository.at.dir}/${path}`);
      const isDirectory = stat.isDirectory();
      // A directory where git knows a file is looked into; a submodule is its own.
      if (known.has(path) && (!isDirectory || known.get(path) === 0o160000)) continue;
      if (isDirectory && directories.has(path)) {
        await look(path, true);
        continue;
      }
      if (!isDirectory && !stat.isFile() && !stat.isSymbolicLink()) continue;
      if (await rules.isIgnored(path, isDirectory)) {
        if (isCollected) found.ignored.push(isDirectory ? `${path}/` : path);
        if (kind === 'nothing') kind = 'ignored';
        continue;
      }
      if (!isDirectory) {
        kind = 'untracked';
        if (isCollected) found.untracked.push(path);
        else return kind;
        continue;
      }
      const isRepository = await promises.lstat(`${repository.at.dir}/${path}/.git`).then(
        () => true,
        () => false,
      );
      if (isRepository) {
        kind = 'untracked';
        if (isCollected) found.untracked.push(`${path}/`);
        continue;
      }
      const inside = isAll && isCollected ? await look(path, true) : await look(path, false);
      if (inside === 'untracked') {
        kind = 'untracked';
        if (isCollected && !isAll) {
          found.untracked.push(`${path}/`);
          if (ignored) await ignoredBelow(path);
        }
      } else if (inside === 'ignored') {
        if (kind === 'nothing') kind = 'ignored';
        if (isCollected && !isAll) await ignoredBelow(path);
      }
    }
    return kind;
  };
  const ignoredBelow = async (directory: string): Promise<void> => {
    for (const name of await promises.readdir(`${repository.at.dir}/${directory}`)) {
      const path = `${directory}/${name}`;
      const isDirectory = (await promises.lstat(`${repository.at.dir}/${path}`)).isDirectory();
      if (await rules.isIgnored(path, isDirectory)) found.ignored.push(isDirectory ? `${path}/` : path);
      else if (isDirectory) await ignoredBelow(path);
    }
  };
  await look('', true);
  return { untracked: found.untracked.sort(compareNames), ignored: found.ignored.sort(compareNames) };
}

export function isClean({ staged, unstaged, unmerged }: WorkStatus): boolean {
  return staged.length === 0 && unstaged.length === 0 && unmerged.size === 0;
}

/** All paths that differ, with git's two letters for each. */
export function shortLetters({ staged, unstaged, unmerged }: WorkStatus): Map<string, string> {
  const letters = new Map<string, string>(unmerged);
  for (const change of staged) letters.set(pathOf(change), `${change.kind} `);
  for (const change of unstaged)
    letters.set(pathOf(change), `${letters.get(pathOf(change))?.charAt(0) ?? ' '}${change.kind}`);
  return new Map([...letters].sort(([a], [b]) => compareNames(a, b)));
}
