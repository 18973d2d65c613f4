import type { HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { isGitIndex, isGitObject, isSameGitIndex } from '../../tree/merge/git-index.ts';
import type { Sandbox } from '../sandbox.ts';
import { ancestorsOf } from './ancestors.ts';
import { keptLabel, labelOf, undoneTag } from './steps.ts';

/** Snapshots in which git's index may have been read anew that are looked into, the newest first. */
const looked = 64;

/**
 * The snapshots that lead to HEAD, or to what was undone, in which nothing has changed but what git's index remembers of files, or in which
 * an undo has left git's objects and nothing else.
 */
export async function refreshedIn(
  view: HistoryView,
  sandbox: Sandbox,
): Promise<ReadonlySet<SnapshotInfo['id']>> {
  const undone = view.snapshots.find(({ tags }) => tags.includes(undoneTag));
  const ends = [view.head, ...(undone ? [undone.id] : [])];
  const found = new Map(ends.flatMap((end) => ancestorsOf(view, end)).map((each) => [each.id, each]));
  const candidates = [...found.values()].flatMap((snapshot) => {
    const path = onlyIndexOf(snapshot);
    const [parent] = snapshot.parents;
    return path === undefined || parent === undefined ? [] : [{ id: snapshot.id, parent, path }];
  });
  const refreshed = new Set([...found.values()].filter(hasObjectsOnly).map(({ id }) => id));
  for (const { id, parent, path } of candidates.slice(0, looked)) {
    const read = (at: SnapshotInfo['id']) => sandbox.files.read(path, { at, format: 'bytes' });
    // What cannot be read is taken for a change.
    const isSame = await Promise.all([read(parent), read(id)]).then(
      ([before, after]) => isSameGitIndex(before, after),
      () => false,
    );
    if (isSame) refreshed.add(id);
  }
  return refreshed;
}

function hasObjectsOnly(snapshot: SnapshotInfo): boolean {
  const { paths } = snapshot.changes;
  return labelOf(snapshot) === keptLabel && paths.length > 0 && paths.every(isGitObject);
}

/** The path of the index that is all that a snapshot has changed. */
function onlyIndexOf({ changes: { created, modified, deleted, paths } }: SnapshotInfo): string | undefined {
  const indexes = paths.filter(isGitIndex);
  return created + deleted === 0 && modified === 1 && indexes.length === 1 ? indexes[0] : undefined;
}
