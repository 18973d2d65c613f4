import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { findSnapshot, type SandboxState, type Scrubbing } from './sandbox-state.ts';

type CheckpointState = Pick<SandboxState, 'history' | 'checkpoints'>;

/**
 * The checkpoint that belongs to a snapshot: the last one before its capture, which also has the terminals'
 * screens. `undefined` if there is none, or none any more.
 */
export function checkpointOfSnapshot(
  snapshot: SnapshotInfo,
  { checkpoints }: CheckpointState,
): Checkpoint | undefined {
  const [parent] = snapshot.parents;
  return checkpoints.findLast(
    ({ head, takenAtMs, cause }) =>
      (head === parent && takenAtMs <= snapshot.takenAtMs) ||
      (head === snapshot.id && cause.type === 'before-restore'),
  );
}

/**
 * The checkpoint with whose screen a snapshot is shown: its own, or else the last one before it, as where two captures
 * came in quick succession.
 */
function screenOfSnapshot(snapshot: SnapshotInfo, state: CheckpointState): Checkpoint | undefined {
  const before = state.checkpoints.findLast(({ takenAtMs }) => takenAtMs <= snapshot.takenAtMs);
  return checkpointOfSnapshot(snapshot, state) ?? before;
}

/** What the pointer is at on the timeline, with the checkpoint that has its screen as soon as that is known. */
export function scrubbedScreen(
  state: CheckpointState & Pick<SandboxState, 'scrubbing'>,
): Scrubbing | undefined {
  const { scrubbing } = state;
  if (scrubbing?.snapshot === undefined || scrubbing.checkpoint !== undefined) return scrubbing;
  const snapshot = findSnapshot(state, scrubbing.snapshot);
  return { ...scrubbing, checkpoint: snapshot && screenOfSnapshot(snapshot, state)?.id };
}

/** What there is to go back to of a state: its files, and its machine with all that ran. */
export function waysBack(
  { snapshot, checkpoint }: Pick<Scrubbing, 'snapshot' | 'checkpoint'>,
  state: CheckpointState,
): { readonly files: SnapshotId | undefined; readonly programs: number | undefined } {
  if (snapshot !== undefined) {
    const shown = findSnapshot(state, snapshot);
    return { files: snapshot, programs: shown && checkpointOfSnapshot(shown, state)?.id };
  }
  const shown = state.checkpoints.find(({ id }) => id === checkpoint);
  return { files: shown && snapshotOfCheckpoint(shown, state), programs: shown?.id };
}

/** The snapshot whose files are closest to a checkpoint's: the next one, or else the one before. */
export function snapshotOfCheckpoint(checkpoint: Checkpoint, state: CheckpointState): SnapshotId | undefined {
  const next = state.history?.snapshots.find(
    ({ parents, takenAtMs }) => parents[0] === checkpoint.head && takenAtMs >= checkpoint.takenAtMs,
  );
  return next?.id ?? findSnapshot(state, checkpoint.head)?.id;
}
