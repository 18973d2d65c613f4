import type { Moment } from '../../../protocol/recording.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { findSnapshot, type SandboxState } from './sandbox-state.ts';

type MomentState = Pick<SandboxState, 'history' | 'moments'>;

/**
 * The checkpoint that belongs to a snapshot: the last one before its capture, which also has the terminals'
 * screens. `undefined` if there is none, or none any more.
 */
export function momentOfSnapshot(snapshot: SnapshotInfo, { moments }: MomentState): Moment | undefined {
  const [parent] = snapshot.parents;
  return moments.findLast(
    ({ head, takenAtMs, cause }) =>
      (head === parent && takenAtMs <= snapshot.takenAtMs) || (head === snapshot.id && cause.type === 'left'),
  );
}

/** The snapshot whose files are closest to a checkpoint's: the next one, or else the one before. */
export function snapshotOfMoment(moment: Moment, state: MomentState): SnapshotId | undefined {
  const next = state.history?.snapshots.find(
    ({ parents, takenAtMs }) => parents[0] === moment.head && takenAtMs >= moment.takenAtMs,
  );
  return next?.id ?? findSnapshot(state, moment.head)?.id;
}
