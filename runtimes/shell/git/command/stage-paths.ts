import type { IndexChange } from '../../../../sandbox/git/library/index-file.ts';
import { changeIndex, type IndexRow, indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { contentOf, FilesLook } from '../diff/file-changes.ts';
import { isWithinPaths } from './path-patterns.ts';
import { unknownFiles } from './work-status.ts';

interface Staging {
  /** Of the tree; all by default. */
  readonly paths: readonly string[];
  /** Only files that git knows. */
  readonly isUpdate?: boolean;
  readonly takesIgnored?: boolean;
  readonly isDry?: boolean;
}

export interface Staged {
  readonly path: string;
  readonly isGone: boolean;
}

/** Stages what differs, in one write of the index; a conflict is resolved by what the file has now. Answers what was staged. */
export async function stagePaths(
  repository: Repository,
  { paths, isUpdate = false, takesIgnored = false, isDry = false }: Staging,
): Promise<Staged[]> {
  const { library, at } = repository;
  const rows = await indexRows(repository);
  const known = new Map<string, IndexRow>();
  for (const row of rows) if (!known.has(row.path) || row.stage === 0) known.set(row.path, row);
  const look = await FilesLook.open(repository);
  const changes: IndexChange[] = [];
  const staged: Staged[] = [];
  const take = async (path: string, row: IndexRow | undefined) => {
    const side = await look.at(path, row?.stage === 0 ? row : undefined);
    if (!side) {
      if (!row) return;
      changes.push({ path });
      staged.push({ path, isGone: true });
      return;
    }
    if (row?.stage === 0 && row.oid === side.oid && row.mode === side.mode) return;
    staged.push({ path, isGone: false });
    if (isDry) return;
    if (side.mode !== 0o160000) await library.writeBlob({ ...at, blob: await contentOf(repository, side) });
    changes.push({
      path,
      file: { oid: side.oid, mode: side.mode },
      stat: await at.fs.promises.lstat(`${at.dir}/${path}`),
    });
  };
  for (const [path, row] of known) if (isWithinPaths(paths, path)) await take(path, row);
  if (!isUpdate) {
    const found = await unknownFiles(repository, rows, { isAll: true, ignored: true });
    const ignored = takesIgnored ? await filesBelow(repository, found.ignored) : [];
    for (const path of [...found.untracked, ...ignored]) {
      // A repository within is no file of this one.
      if (path.endsWith('/') || !isWithinPaths(paths, path)) continue;
      await take(path, undefined);
    }
  }
  if (!isDry) {
    await look.refresh();
    await changeIndex(repository, changes);
  }
  return staged;
}

/** Files at paths, and in directories, which end in a slash; without what git keeps. */
export async function filesBelow(repository: Repository, paths: readonly string[]): Promise<string[]> {
  const { promises } = repository.at.fs;
  const found: string[] = [];
  for (const path of paths) {
    repository.signal.throwIfAborted();
    if (!path.endsWith('/')) {
      found.push(path);
      continue;
    }
    const names = (await promises.readdir(`${repository.at.dir}/${path.slice(0, -1)}`)).filter(
      (name) => name !== '.git',
    );
    const below: string[] = [];
    for (const name of names) {
      const isDirectory = (await promises.lstat(`${repository.at.dir}/${path}${name}`)).isDirectory();
      below.push(`${path}${name}${isDirectory ? '/' : ''}`);
    }
    found.push(...(await filesBelow(repository, below)));
  }
  return found;
}
