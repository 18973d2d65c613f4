import { SandboxError } from '../../protocol/errors.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
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
  const saved = await snapshotChanges(sandbox, keptByUndo(await sandbox.history.get()));
  const before = await stepView(sandbox);
  const leadsOn = saved !== 'none' && canRedo(before);
  const plan = saved === 'none' ? planUnsaved(before, options) : planUndo(before, options);
  const savedHead = saved === 'all' && runsOn(sandbox) ? before.head : undefined;
  const moved = await move(sandbox, plan, { ...options, savedHead });
  // Several in a row lead back to the newest.
  if (leadsOn) return moved;
  // What was saved meanwhile has stayed, and was not undone.
  const note = () => sandbox.history.setTag(undoneTag, savedHead ?? moved.previousHead);
  return { ...moved, ...(await warnOf(note, `the tag ${undoneTag}`)) };
}

/** Does steps again that were undone, and keeps what was changed since. @throws not-found; conflict after other steps since the undo; as `undoSteps` */
export async function redoSteps(sandbox: Sandbox, options: MoveOptions): Promise<MovedSteps> {
  const saved = await snapshotChanges(sandbox, keptLabel);
  if (saved === 'none') {
    const message = `Cannot redo: files have changed since, more than the disk may hold. ${options.remedy}`;
    throw new SandboxError('conflict', message);
  }
  const before = await stepView(sandbox);
  const savedHead = saved === 'all' && runsOn(sandbox) ? before.head : undefined;
  return move(sandbox, planRedo(before, options), { ...options, savedHead });
}

async function move(
  sandbox: Sandbox,
  { steps, changes, target, keepsChanges }: StepPlan,
  {
    takeAll = false,
    remedy,
    savedHead,
  }: MoveOptions & { readonly savedHead: SnapshotInfo['id'] | undefined },
): Promise<MovedSteps> {
  const go = async (): Promise<Omit<ApplyResult, 'checkpoint'>> => {
    if (!keepsChanges && savedHead === undefined)
      return { ...(await sandbox.checkout(target.id)), settled: [] };
    const prefer = takeAll ? ({ prefer: 'theirs' } as const) : {};
    // In a folder of a host programs go on: what they save meanwhile stays, as do git's objects, which a commit may need that is made meanwhile.
    const made = keepsChanges || savedHead === undefined ? changes : [{ from: savedHead, to: target.id }];
    const last = made.at(-1)?.to ?? target.id;
    return sandbox.applyChanges({ changes: made, onto: [last, target.id], label: keptLabel, ...prefer });
  };
  const { head, previousHead, settled, unkept } = await go().catch((error: unknown) => {
    throw withRemedy(SandboxError.from(error), remedy);
  });
  const shown = steps.map((step) => step.shown);
  const done = await notePreviousHead(sandbox, { steps: shown, target, head, previousHead, settled, unkept });
  return { ...done, changes: await sandbox.diff(previousHead, head) };
}

/** Whether a checkout leaves programs as they are, as in a folder of a host. Elsewhere what writes meanwhile ends with it, and its work goes. */
function runsOn({ info }: Sandbox): boolean {
  return !(describeRuntime(info.runtime)?.confines ?? true);
}

function withRemedy(error: SandboxError, remedy: string): SandboxError {
  if (error.code !== 'conflict' || !Array.isArray(error.details.conflicts)) return error;
  return new SandboxError(error.code, `${error.message}. ${remedy}`, {
    details: error.details,
    cause: error,
  });
}

/**
 * What has changed since the last step becomes a snapshot: all of it; or perhaps not, where a machine does not answer, which a
 * checkout ends and saves what there is; or none of it, in a sandbox past the limit of its disk, whose changes the checkout
 * saves as far as there is room.
 */
async function snapshotChanges(sandbox: Sandbox, label: string): Promise<'all' | 'some' | 'none'> {
  try {
    await sandbox.createSnapshot({ ifChanged: true, label });
    return 'all';
  } catch (error) {
    const { code } = SandboxError.from(error);
    if (code === 'storage-full') return 'none';
    if (code === 'timeout') return 'some';
    throw error;
  }
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
