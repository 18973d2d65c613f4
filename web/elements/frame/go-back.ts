import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { waysBack } from '../model/checkpoints-of-snapshots.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { findSnapshot } from '../model/sandbox-state.ts';
import type { Workspace } from '../model/workspace.ts';
import { describeSnapshot } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';

/** The pane that goes back, where to show notices, and how to focus the terminal. */
export interface GoingBack {
  readonly pane: SandboxModel;
  readonly workspace: Workspace;
  readonly toTerminal: () => void;
}

/** Goes back to a state: to its machine with all that ran, or where that is not kept or not wanted, to its files. */
export function goBackTo(
  shown: { readonly snapshot?: SnapshotId | undefined; readonly checkpoint?: number | undefined },
  going: GoingBack,
): void {
  const { state } = going.pane;
  const { files, programs } = waysBack({ snapshot: shown.snapshot, checkpoint: shown.checkpoint }, state);
  if (programs !== undefined && !(state.filesOnly && files !== undefined))
    void restoreCheckpoint(programs, going);
  else if (files !== undefined) void goBack(files, going);
}

/** Checks out a snapshot: programs end. The previous state becomes a snapshot too, and the notice offers to undo. */
export async function goBack(id: SnapshotId, going: GoingBack): Promise<void> {
  const { pane, workspace, toTerminal } = going;
  const target = findSnapshot(pane.state, id);
  // From now on, keys are for the terminal, not for the history.
  toTerminal();
  const wayBack = await pane.checkout(id);
  const name = target === undefined ? 'the snapshot' : `“${describeSnapshot(target).slice(0, 60)}”`;
  if (wayBack === undefined) {
    if (pane.state.problems.history?.code === 'storage-full') offerDiscard(id, name, going);
    return;
  }
  const left = wayBack.checkpoint === undefined ? 'as a snapshot' : 'with all that ran';
  workspace.notices.add({
    text: `Went back to ${name}: files only, programs started anew. What you left is kept ${left}.`,
    tone: 'info',
    about: pane,
    action: { label: 'Undo', run: () => void undoGoingBack(going) },
  });
}

/** Restores a checkpoint, with its programs; the previous state becomes a checkpoint too. */
async function restoreCheckpoint(id: number, going: GoingBack): Promise<boolean> {
  const { pane, workspace, toTerminal } = going;
  const target = pane.state.checkpoints.find((checkpoint) => checkpoint.id === id);
  toTerminal();
  const wayBack = await pane.restoreCheckpoint(id);
  if (wayBack === undefined) return false;
  const when =
    target === undefined ? 'the checkpoint' : clockTime(target.takenAtMs, Date.now(), { seconds: true });
  workspace.notices.add({
    text: `Went to ${when} with everything that ran. What you left is kept with all that ran.`,
    tone: 'info',
    about: pane,
    ...(wayBack.checkpoint === undefined
      ? {}
      : { action: { label: 'Undo', run: () => void undoGoingBack(going) } }),
  });
  return true;
}

/**
 * Undoes the last checkout or restore: restores the previous checkpoint if there is one, else checks out the
 * previous files.
 */
export async function undoGoingBack(going: GoingBack): Promise<void> {
  const { pane } = going;
  const { checkpoint, snapshot } = pane.state.wayBack ?? {};
  if (checkpoint !== undefined && (await restoreCheckpoint(checkpoint, going))) return;
  if (snapshot === undefined) return;
  // That machine is gone, or the checkpoint was dropped. If the snapshot fails too, its error is shown.
  pane.dismiss('terminal');
  await goBack(snapshot, going);
}

/** If the storage is full, the user may still go back by agreeing to discard the changes. */
function offerDiscard(id: SnapshotId, name: string, { pane, workspace }: GoingBack): void {
  const discard = async () => {
    if ((await pane.checkout(id, { discard: true })) === undefined) return;
    workspace.notices.add({ text: `Went back to ${name}. What was not saved is gone.`, tone: 'info' });
  };
  workspace.notices.add({
    text: `There is no room to save what changed since the last snapshot. Without it you can go back to ${name}.`,
    tone: 'error',
    action: { label: 'Go back without saving', run: () => void discard() },
  });
}
