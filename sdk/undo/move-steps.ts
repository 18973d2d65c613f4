import { SandboxError } from '../../protocol/errors.ts';
import type { CheckoutResult, HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { Sandbox } from '../sandbox.ts';
import { ancestorsOf } from './ancestors.ts';
import { notePreviousHead, type Warned, warnOf } from './previous-head.ts';
import { planRedo, planUndo, type StepOptions, undoneTag } from './steps.ts';

/** Where an undo or a redo has brought a sandbox. */
export interface MovedSteps extends Warned, Pick<CheckoutResult, 'unkept'> {
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
  const isSaved = await snapshotChanges(sandbox);
  const before = await sandbox.history.get();
  const { target, steps } = isSaved ? planUndo(before, options) : planUnsaved(before, options);
  const { head, previousHead, unkept } = await sandbox.checkout(target.id);
  const noted = await notePreviousHead(sandbox, { steps, target, head, previousHead, unkept });
  const note = () => noteUndone(sandbox, { headBefore: before.head, previousHead });
  return { ...noted, ...(await warnOf(note, `the tag ${undoneTag}`)) };
}

/** Does steps again that were undone. @throws not-found; conflict after a change since the undo; as a checkout */
export async function redoSteps(sandbox: Sandbox, options: StepOptions): Promise<MovedSteps> {
  // After a change since the undo there is nothing to go forward to.
  if (!(await snapshotChanges(sandbox))) {
    const message = `Cannot redo: files have changed since, more than the disk may hold. ${options.remedy}`;
    throw new SandboxError('conflict', message);
  }
  const { target, steps } = planRedo(await sandbox.history.get(), options);
  const { head, previousHead } = await sandbox.checkout(target.id);
  return notePreviousHead(sandbox, { steps, target, head, previousHead });
}

/**
 * What has changed since the last step becomes a snapshot. Where a machine does not answer, a checkout ends it and saves
 * what there is. Whether it did: a sandbox past the limit of its disk has changes that the checkout saves as far as there is room.
 */
async function snapshotChanges(sandbox: Sandbox): Promise<boolean> {
  try {
    await sandbox.createSnapshot({ ifChanged: true });
  } catch (error) {
    const { code } = SandboxError.from(error);
    if (code === 'storage-full') return false;
    if (code !== 'timeout') throw error;
  }
  return true;
}

/** The changes that could not become a snapshot are the first step: HEAD is what was before it. */
function planUnsaved(view: HistoryView, options: StepOptions): ReturnType<typeof planUndo> {
  if (options.count > 1) return planUndo(view, { ...options, count: options.count - 1 });
  const target = view.snapshots.find(({ id }) => id === view.head);
  if (target) return { target, steps: [] };
  throw new SandboxError('not-found', `Nothing to undo: there is no snapshot. ${options.remedy}`);
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
