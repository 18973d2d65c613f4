import type { Moment } from '../../../protocol/recording.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { findSnapshot, type SandboxState } from './sandbox-state.ts';

type MomentState = Pick<SandboxState, 'history' | 'moments'>;

/**
 * The moment of a snapshot: the last one before it was captured, with all that ran. Its screens are those of then. Nothing
 * where the recording has none, or none any more.
 */
export function momentOfSnapshot(snapshot: SnapshotInfo, { moments }: MomentState): Moment | undefined {
  const [parent] = snapshot.parents;
  return moments.findLast(
    ({ head, takenAtMs, cause }) =>
      (head === parent && takenAtMs <= snapshot.takenAtMs) || (head === snapshot.id && cause.type === 'left'),
  );
}

/** The snapshot with the files of a moment, as near as one was captured: the next one, or else the one before. */
export function snapshotOfMoment(moment: Moment, state: MomentState): SnapshotId | undefined {
  const next = state.history?.snapshots.find(
    ({ parents, takenAtMs }) => parents[0] === moment.head && takenAtMs >= moment.takenAtMs,
  );
  return next?.id ?? findSnapshot(state, moment.head)?.id;
}
