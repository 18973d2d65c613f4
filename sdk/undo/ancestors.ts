import type { HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';

/** A snapshot and all that came before it, also on the other side of merges, newest first. */
export function ancestorsOf({ snapshots }: HistoryView, id: string): SnapshotInfo[] {
  const wanted = new Set([id]);
  const found: SnapshotInfo[] = [];
  // The history lists each snapshot after its parents.
  for (const snapshot of snapshots.toReversed()) {
    if (!wanted.has(snapshot.id)) continue;
    found.push(snapshot);
    for (const parent of snapshot.parents) wanted.add(parent);
  }
  return found;
}

/** Snapshots that nothing continues, newest first. */
export function tipsOf({ snapshots }: HistoryView): SnapshotInfo[] {
  const continued = new Set(snapshots.flatMap(({ parents }) => parents));
  return snapshots.filter(({ id }) => !continued.has(id)).toReversed();
}
