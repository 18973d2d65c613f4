import { SandboxError } from '../../protocol/errors.ts';
import type {
  ApplyResult,
  Change,
  CheckoutResult,
  HistoryView,
  MergeConflict,
  SnapshotInfo,
} from '../../protocol/sandbox/history.ts';
import type { Sandbox } from '../sandbox.ts';
import { ancestorsOf } from './ancestors.ts';
import { notePreviousHead, type Warned, warnOf } from './previous-head.ts';
import { refreshedIn } from './refreshed-in.ts';
import {
  canRedo,
  isBefore,
  keptLabel,
  notesToolCalls,
  planRedo,
  planUndo,
  type StepOptions,
  type StepPlan,
  type StepView,
  undoneTag,
} from './steps.ts';

export interface MoveOptions extends StepOptions {
  /** Also where what was changed since would be lost with it: that is in `previousHead` then. */
  readonly takeAll?: boolean | undefined;
}

/** Where an undo or a redo has brought a sandbox. */
export interface MovedSteps extends Warned, Pick<CheckoutResult, 'unkept'> {
  /** Those that were taken back, newest first, or done again, oldest first. */
  readonly steps: readonly SnapshotInfo[];
  /** The snapshot whose files the sandbox has now, beside what has stayed. */
  readonly target: SnapshotInfo;
  readonly head: SnapshotInfo['id'];
  readonly previousHead: SnapshotInfo['id'];
  /** All that differs now from before. */
  readonly changes: readonly Change[];
  /** What was changed since in the same place, and is not there any more. */
  readonly settled: readonly MergeConflict[];
}

/**
 * Takes back the last steps: tool calls of an agent where those are noted, and then what a person has changed between or after them stays; else snapshots, and
 * what has changed since the last one is the first step. @throws not-found; conflict with `conflicts` as details; as a checkout
 */
export async function undoSteps(sandbox: Sandbox, options: MoveOptions): Promise<MovedSteps> {
  const isSaved = await snapshotChanges(sandbox, keptByUndo(await sandbox.history.get()));
  const before = await stepView(sandbox);
  const leadsOn = isSaved && canRedo(before);
  const plan = isSaved ? planUndo(before, options) : planUnsaved(before, options);
  const moved = await move(sandbox, plan, options);
  // Several in a row lead back to the newest.
  if (leadsOn) return moved;
  const note = () => sandbox.history.setTag(undoneTag, moved.previousHead);
  return { ...moved, ...(await warnOf(note, `the tag ${undoneTag}`)) };
}

/** Does steps again that were undone, and keeps what was changed since. @throws not-found; conflict after other steps since the undo; as `undoSteps` */
export async function redoSteps(sandbox: Sandbox, options: MoveOptions): Promise<MovedSteps> {
  if (!(await snapshotChanges(sandbox, keptLabel))) {
    const message = `Cannot redo: files have changed since, more than the disk may hold. ${options.remedy}`;
    throw new SandboxError('conflict', message);
  }
  return move(sandbox, planRedo(await stepView(sandbox), options), options);
}

async function move(
  sandbox: Sandbox,
  { steps, changes, target, keepsChanges }: StepPlan,
  { takeAll = false, remedy }: MoveOptions,
): Promise<MovedSteps> {
  const go = async (): Promise<Omit<ApplyResult, 'checkpoint'>> => {
    if (!keepsChanges) return { ...(await sandbox.checkout(target.id)), settled: [] };
    const prefer = takeAll ? ({ prefer: 'theirs' } as const) : {};
    const last = changes.at(-1)?.to ?? target.id;
    return sandbox.applyChanges({ changes, onto: [last, target.id], label: keptLabel, ...prefer });
  };
  const { head, previousHead, settled, unkept } = await go().catch((error: unknown) => {
    throw withRemedy(SandboxError.from(error), remedy);
  });
  const shown = steps.map((step) => step.shown);
  const done = await notePreviousHead(sandbox, { steps: shown, target, head, previousHead, settled, unkept });
  return { ...done, changes: await sandbox.diff(previousHead, head) };
}

function withRemedy(error: SandboxError, remedy: string): SandboxError {
  if (error.code !== 'conflict' || !Array.isArray(error.details.conflicts)) return error;
  return new SandboxError(error.code, `${error.message}. ${remedy}`, {
    details: error.details,
    cause: error,
  });
}

/**
 * What has changed since the last step becomes a snapshot. Where a machine does not answer, a checkout ends it and saves
 * what there is. Whether it did: a sandbox past the limit of its disk has changes that the checkout saves as far as there is room.
 */
async function snapshotChanges(sandbox: Sandbox, label: string): Promise<boolean> {
  try {
    await sandbox.createSnapshot({ ifChanged: true, label });
  } catch (error) {
    const { code } = SandboxError.from(error);
    if (code === 'storage-full') return false;
    if (code !== 'timeout') throw error;
  }
  return true;
}

/** The changes that could not become a snapshot are the first step: HEAD is what was before it. */
function planUnsaved(view: StepView, options: StepOptions): StepPlan {
  if (options.count > 1)
    return { ...planUndo(view, { ...options, count: options.count - 1 }), keepsChanges: false };
  const target = view.snapshots.find(({ id }) => id === view.head);
  if (target) return { target, steps: [], changes: [], keepsChanges: false };
  throw new SandboxError('not-found', `Nothing to undo: there is no snapshot. ${options.remedy}`);
}

/** The label for what has changed since the last snapshot: a step of its own has none, nor has what a call of an agent has done so far. */
function keptByUndo(view: HistoryView): string {
  const ancestry = ancestorsOf(view, view.head);
  return notesToolCalls(view, ancestry) && !isBefore(ancestry[0]) ? keptLabel : '';
}

async function stepView(sandbox: Sandbox): Promise<StepView> {
  const view = await sandbox.history.get();
  return { ...view, refreshed: await refreshedIn(view, sandbox) };
}
