import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { findSnapshot } from '../model/sandbox-state.ts';
import type { Workspace } from '../model/workspace.ts';
import { describeSnapshot } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';

/** What goes back, where it is told, and how the page gives the focus to the terminal. */
export interface GoingBack {
  readonly pane: SandboxModel;
  readonly workspace: Workspace;
  readonly toTerminal: () => void;
}

/** Puts the files at a snapshot; programs start anew. What was left is a snapshot too, and one key away. */
export async function goBack(id: SnapshotId, going: GoingBack): Promise<void> {
  const { pane, workspace, toTerminal } = going;
  const target = findSnapshot(pane.state, id);
  // What is typed from now on is for the terminal, not for the history.
  toTerminal();
  const wayBack = await pane.checkout(id);
  const name = target === undefined ? 'the snapshot' : `“${describeSnapshot(target).slice(0, 60)}”`;
  if (wayBack === undefined) {
    if (pane.state.problems.history?.code === 'storage-full') offerDiscard(id, name, going);
    return;
  }
  const left = wayBack.moment === undefined ? 'as a snapshot' : 'with all that ran';
  workspace.notices.add({
    text: `Went back to ${name}: files only, programs started anew. What you left is kept ${left}.`,
    tone: 'info',
    action: { label: 'Undo', run: () => void undoGoingBack(going) },
  });
}

/** Puts the machine at a moment with all that ran; what was left is a moment too. */
export async function goToMoment(id: number, going: GoingBack): Promise<boolean> {
  const { pane, workspace, toTerminal } = going;
  const target = pane.state.moments.find((moment) => moment.id === id);
  toTerminal();
  const wayBack = await pane.goToMoment(id);
  if (wayBack === undefined) return false;
  const when =
    target === undefined ? 'the checkpoint' : clockTime(target.takenAtMs, Date.now(), { seconds: true });
  workspace.notices.add({
    text: `Went to ${when} with everything that ran. What you left is kept with all that ran.`,
    tone: 'info',
    ...(wayBack.moment === undefined
      ? {}
      : { action: { label: 'Undo', run: () => void undoGoingBack(going) } }),
  });
  return true;
}

/** Goes to what the last going back left: with all that ran where that is kept, or else to its files. */
export async function undoGoingBack(going: GoingBack): Promise<void> {
  const { pane } = going;
  const { moment, snapshot } = pane.state.wayBack ?? {};
  if (moment !== undefined && (await goToMoment(moment, going))) return;
  if (snapshot === undefined) return;
  // Its machine is no more, or the recording had no room for it: the snapshot says what went wrong, if that does too.
  pane.dismiss('terminal');
  await goBack(snapshot, going);
}

/** A full storage keeps nobody from going back who says that what changed since may go. */
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
