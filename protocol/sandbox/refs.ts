import type { SnapshotId } from '../../tree/history/snapshot-record.ts';

/** A tree to look at: a snapshot, or the files as they are now. */
export type TreeRef = SnapshotId | 'now';

/** A snapshot of a sandbox: an id, the start of one (`resolveSnapshot`), a tag, or `HEAD`. */
export interface SnapshotRef {
  readonly sandbox: string;
  readonly snapshot: string;
}
