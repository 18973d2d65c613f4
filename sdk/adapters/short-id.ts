import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';

/** Enough of a snapshot's id for `checkout` to find it, and short enough to read. */
export function shortId(id: SnapshotInfo['id']): string {
  return id.slice(0, 12);
}
