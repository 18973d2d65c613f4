import { type IndexEntry, readIndex } from './read-index.ts';
import type { Repository } from './repository.ts';

interface Search {
  readonly repository: Repository;
  /** Paths that are asked for; those below them are, too. */
  readonly isAsked: (path: string) => boolean;
  /** Whether something below it may be asked for. */
  readonly isAbove: (path: string) => boolean;
  readonly entries: Map<string, IndexEntry>;
  readonly directories: ReadonlySet<string>;
  readonly suspects: string[];
}

/**
 * Files at or below `paths` that may differ from the index, by what `lstat` says of them, and what the index does not have:
 * what has the size, the times and the inode that it was staged with is as it was. `undefined` where the index is of a kind that
 * the library knows better.
 */
export async function findSuspects(
  repository: Repository,
  { isAsked, isAbove }: Pick<Search, 'isAsked' | 'isAbove'>,
): Promise<readonly string[] | undefined> {
  const index = await readIndex(repository);
  if (!index) return undefined;
  const entries = new Map(index.map((entry) => [entry.path, entry]));
  const search = { repository, isAsked, isAbove, entries, directories: directoriesOf(index), suspects: [] };
  await searchDirectory(search, '');
  return [...search.suspects, ...[...entries.keys()].filter(isAsked)];
}

/** Takes the entries away that it finds. */
async function searchDirectory(search: Search, directory: string): Promise<void> {
  const { repository, entries, directories, suspects, isAsked, isAbove } = search;
  const { dir, fs } = repository.at;
  for (const name of await fs.promises.readdir(`${dir}/${directory}`)) {
    const path = directory === '' ? name : `${directory}/${name}`;
    if (path === '.git' || !(isAsked(path) || isAbove(path))) continue;
    const stat = await fs.promises.lstat(`${dir}/${path}`);
    const entry = entries.get(path);
    const isWalked = stat.isDirectory() && (directories.has(path) || !isAsked(path));
    if (isWalked) await searchDirectory(search, path);
    else if (isAsked(path)) {
      entries.delete(path);
      if (!entry?.isSame(stat) && !isSubmodule(entry)) suspects.push(path);
    }
  }
}

function isSubmodule(entry: IndexEntry | undefined): boolean {
  return entry?.mode === 0o160000;
}

function directoriesOf(index: readonly IndexEntry[]): ReadonlySet<string> {
  const directories = new Set<string>();
  for (const { path } of index) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  return directories;
}
