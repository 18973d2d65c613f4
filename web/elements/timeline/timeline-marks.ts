import type { ChangeSummary, SnapshotId, SnapshotRecord } from '../../../tree/history/snapshot-record.ts';
import { countChanges } from '../text/describe-snapshot.ts';

const lowest = 4;
/**
 * The number of changed files that gives the full height; the scale is logarithmic, so that one file is visible
 * beside a thousand.
 */
const tallestAt = 2_000;

/** The height of a mark, up to `heightPx`, for its snapshot's changes. */
export function markHeight(changes: ChangeSummary, heightPx: number): number {
  const share = Math.log1p(countChanges(changes)) / Math.log1p(tallestAt);
  return Math.round(lowest + (heightPx - lowest) * Math.min(1, share));
}

/** The width of a mark, such that many of them are still separate. */
export function markWidthPx(count: number): number {
  if (count > 400) return 1;
  return count > 80 ? 2 : 7;
}

/** The snapshots on the path from the root to `head`, including `head`. */
export function ancestorsOf(
  snapshots: readonly (Pick<SnapshotRecord, 'parents'> & { readonly id: SnapshotId })[],
  head: SnapshotId | undefined,
): Set<SnapshotId> {
  const parents = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot.parents[0]]));
  const live = new Set<SnapshotId>();
  for (let id = head; id !== undefined && !live.has(id); id = parents.get(id)) live.add(id);
  return live;
}

/** Where a key leads on the timeline, as every slider has it (ARIA APG), or `undefined`. */
export function stepInTimeline(key: string, place: { index: number; last: number }): number | undefined {
  const clamp = (index: number): number => Math.min(place.last, Math.max(0, index));
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return clamp(place.index - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return clamp(place.index + 1);
    case 'PageDown':
      return clamp(place.index - 10);
    case 'PageUp':
      return clamp(place.index + 10);
    case 'Home':
      return 0;
    case 'End':
      return place.last;
    default:
      return undefined;
  }
}
