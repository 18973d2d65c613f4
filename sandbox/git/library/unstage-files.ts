import { emptyTree, type Repository } from './repository.ts';
import { areSame, blob, isWithin } from './staged-changes.ts';

/** An entry that the index is to have; without an id, none. */
interface IndexEntry {
  readonly path: string;
  readonly oid?: string;
  readonly mode?: number;
}

/** Puts the index at or below `paths` back to a commit, or to nothing before the first one. Files stay as they are. */
export async function unstageFiles(
  repository: Repository,
  { paths, commit = emptyTree }: { readonly paths: readonly string[]; readonly commit: string | undefined },
): Promise<void> {
  const { library, at, signal } = repository;
  for (const { path, oid, mode } of await stagedEntries(repository, { paths, commit })) {
    signal.throwIfAborted();
    const entry =
      oid === undefined || mode === undefined ? { remove: true, force: true } : { oid, mode, add: true };
    await library.updateIndex({ ...at, filepath: path, ...entry });
  }
}

async function stagedEntries(
  { library, at }: Repository,
  { paths, commit }: { readonly paths: readonly string[]; readonly commit: string },
): Promise<IndexEntry[]> {
  const entries: IndexEntry[] = [];
  await library.walk({
    ...at,
    trees: [library.TREE({ ref: commit }), library.STAGE()],
    map: async (path, [before = null, index = null]) => {
      if (path === '.') return path;
      const isAsked = paths.some((top) => top === '.' || isWithin(path, top));
      if (!isAsked && !paths.some((top) => isWithin(top, path))) return null;
      const [older, staged] = [await blob(before), await blob(index)];
      if (!isAsked || (await areSame(older, staged))) return path;
      const oid = await older?.oid();
      const mode = await older?.mode();
      entries.push({ path, ...(oid === undefined ? {} : { oid }), ...(mode === undefined ? {} : { mode }) });
      return path;
    },
  });
  return entries;
}
