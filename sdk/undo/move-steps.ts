import { SandboxError } from '../../protocol/errors.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { Sandbox } from '../sandbox.ts';
import { ancestorsOf } from './ancestors.ts';
import { notePreviousHead, type Warned, warnOf } from './previous-head.ts';
import { planRedo, planUndo, type StepOptions, undoneTag } from './steps.ts';

/** Where an undo or a redo has brought a sandbox. */
export interface MovedSteps extends Warned {
  /** Those that were taken back, newest first, or done again, oldest first. */
  readonly steps: readonly SnapshotInfo[];
  /** The snapshot whose files the sandbox has now. */
  readonly target: SnapshotInfo;
  readonly head: SnapshotInfo['id'];
  readonly previousHead: SnapshotInfo['id'];
}

/**
 * Takes back the last steps: tool calls of an agent where those are noted, else snapshots. What has changed since the last
 * snapshot becomes one first, and is the first step. @throws not-found; as a checkout
 */
export async function undoSteps(sandbox: Sandbox, options: StepOptions): Promise<MovedSteps> {
  await snapshotChanges(sandbox);
  const before = await sandbox.history.get();
  const { target, steps } = planUndo(before, options);
  const { head, previousHead } = await sandbox.checkout(target.id);
  const noted = await notePreviousHead(sandbox, { steps, target, head, previousHead });
  const note = () => noteUndone(sandbox, { headBefore: before.head, previousHead });
  return { ...noted, ...(await warnOf(note, `the tag ${undoneTag}`)) };
}

/** Does steps again that were undone. @throws not-found; conflict after a change since the undo; as a checkout */
export async function redoSteps(sandbox: Sandbox, options: StepOptions): Promise<MovedSteps> {
  // After a change since the undo there is nothing to go forward to.
  await snapshotChanges(sandbox);
  const { target, steps } = planRedo(await sandbox.history.get(), options);
  const { head, previousHead } = await sandbox.checkout(target.id);
  return notePreviousHead(sandbox, { steps, target, head, previousHead });
}

/** What has changed since the last step becomes a snapshot. Where a machine does not answer, a checkout ends it and saves what there is. */
async function snapshotChanges(sandbox: Sandbox): Promise<void> {
  try {
    await sandbox.createSnapshot({ ifChanged: true });
  } catch (error) {
    if (SandboxError.from(error).code !== 'timeout') throw error;
  }
}

/** Several in a row lead back to the newest. */
async function noteUndone(
  sandbox: Sandbox,
  { headBefore, previousHead }: { readonly headBefore: string; readonly previousHead: SnapshotInfo['id'] },
): Promise<void> {
  const view = await sandbox.history.get();
  const undone = view.snapshots.find(({ tags }) => tags.includes(undoneTag));
  const isFurther = undone !== undefined && ancestorsOf(view, undone.id).some(({ id }) => id === headBefore);
  if (isFurther && previousHead === headBefore) return;
  await sandbox.history.setTag(undoneTag, previousHead);
}
