import type { IndexChange } from './index-file.ts';
import { changeIndex, indexRows } from './index-rows.ts';
import { emptyTree, type Repository } from './repository.ts';
import { areSame, blob, isWithin } from './staged-changes.ts';

/** Puts the index at or below `paths` back to a commit, or to nothing before the first one. Files stay as they are. */
export async function unstageFiles(
  repository: Repository,
  { paths, commit = emptyTree }: { readonly paths: readonly string[]; readonly commit: string | undefined },
): Promise<void> {
  await changeIndex(repository, await stagedEntries(repository, { paths, commit }));
}

/** What the index is to have otherwise, in one write: of thousands of files, one for each takes minutes. */
async function stagedEntries(
  repository: Repository,
  { paths, commit }: { readonly paths: readonly string[]; readonly commit: string },
): Promise<IndexChange[]> {
  const { library, at, signal } = repository;
  const entries: IndexChange[] = [];
  const unmerged = new Set(
    (await indexRows(repository)).flatMap(({ path, stage }) => (stage === 0 ? [] : [path])),
  );
  await library.walk({
    ...at,
    trees: [library.TREE({ ref: commit }), library.STAGE()],
    map: async (path, [before = null, index = null]) => {
      signal.throwIfAborted();
      if (path === '.') return path;
      const isAsked = paths.some((top) => top === '.' || isWithin(path, top));
      if (!isAsked && !paths.some((top) => isWithin(top, path))) return null;
      const [older, staged] = [await blob(before), await blob(index)];
      if (!isAsked || (!unmerged.has(path) && (await areSame(older, staged)))) return path;
      const oid = await older?.oid();
      const mode = await older?.mode();
      entries.push({ path, ...(oid === undefined || mode === undefined ? {} : { file: { oid, mode } }) });
      return path;
    },
  });
  return entries;
}
