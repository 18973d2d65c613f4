import { SandboxError } from '../../protocol/errors.ts';
import type { ApplyOptions, HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ancestorsOf } from './ancestors.ts';
import { foldCommands } from './one-command.ts';

/** Labels of snapshots that were taken before a step, and are none themselves, begin so. */
export const beforePrefix = 'before ';

/** The label of the first snapshot of a folder, before which there is nothing to go back to. */
export const beginLabel = 'before the first step';

/** The label of what was changed beside the steps, which an undo or a redo has kept. */
export const keptLabel = 'changes that stay';

/** The tag at the first call of an agent that was noted: from then on what a person has changed beside the calls is no step. */
export const wrappedTag = 'wrapped';

/** The tag at the newest of what was undone: `redo` goes there, and it is not forgotten. */
export const undoneTag = 'undone';

/** The label of a snapshot that was given one. */
export function labelOf({ cause }: SnapshotInfo): string | undefined {
  return cause.type === 'manual' && cause.label !== '' ? cause.label : undefined;
}

/** What is taken back at once. */
interface Step {
  /** What it is called by. */
  readonly shown: SnapshotInfo;
  /** After it, and before it: the second is missing where that is no longer kept. */
  readonly after: SnapshotInfo;
  readonly before: SnapshotInfo | undefined;
}

/** A history, and what of it no step has. */
export interface StepView extends HistoryView {
  /** Snapshots in which nothing but git's index was read anew. */
  readonly refreshed: ReadonlySet<SnapshotInfo['id']>;
}

/**
 * The steps of an ancestry, which is newest first and ends where things began. Where an agent's tool calls are noted, a step is
 * a snapshot that was asked for, of such a call or a commit, and what was captured since the one before belongs to it; what a person has changed
 * between two of them, or since the last, is none. Elsewhere each snapshot that changed files is one, with those after it that
 * changed none: they name it where it has no label, or are of commands that wrote nothing that is kept.
 */
function stepsOf(
  whole: readonly SnapshotInfo[],
  { isNoted, refreshed }: { readonly isNoted: boolean; readonly refreshed: ReadonlySet<SnapshotInfo['id']> },
): readonly Step[] {
  const began = whole.findIndex((snapshot) => labelOf(snapshot) === beginLabel);
  const ancestry = began < 0 ? whole : whole.slice(0, began + 1);
  return isNoted ? notedSteps(ancestry, refreshed) : changingSteps(ancestry, refreshed);
}

function notedSteps(ancestry: readonly SnapshotInfo[], refreshed: StepView['refreshed']): readonly Step[] {
  return ancestry.slice(0, -1).flatMap((snapshot, at) => {
    const rest = ancestry.slice(at + 1);
    const isKept = isBefore(snapshot) || labelOf(snapshot) === keptLabel;
    // Also what a call of an agent has done so far that has begun, and of which nothing has told the end.
    const isStep = isMade(snapshot) ? !isKept : at === 0 && isBefore(rest[0]);
    if (!isStep || refreshed.has(snapshot.id)) return [];
    return [{ shown: snapshot, after: snapshot, before: rest.find(isMade) ?? rest.at(-1) }];
  });
}

/** Whether somebody has asked for a snapshot, and it was not taken by itself. */
function isMade({ cause }: SnapshotInfo): boolean {
  return cause.type === 'manual';
}

function changingSteps(
  ancestry: readonly SnapshotInfo[],
  refreshed: ReadonlySet<SnapshotInfo['id']>,
): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < ancestry.length - 1; ) {
    const rest = ancestry.slice(at, -1);
    const changed = rest.findIndex((each) => hasChanges(each) && !refreshed.has(each.id));
    // What was only read anew before everything is no step.
    if (changed < 0 && rest.some(({ id }) => refreshed.has(id))) break;
    const members = changed < 0 ? rest : rest.slice(0, changed + 1);
    const [after] = members;
    const named = members.filter(({ id }) => !refreshed.has(id));
    const own = changed < 0 ? undefined : rest[changed];
    const isNamed = own !== undefined && labelOf(own) !== undefined;
    const shown = isNamed ? own : (named.find((each) => labelOf(each) !== undefined) ?? members.at(-1));
    at += members.length;
    if (after && shown) steps.push({ shown, after, before: ancestry[at] });
  }
  return steps;
}

/** Whether a call of an agent was about to begin. */
export function isBefore(snapshot: SnapshotInfo | undefined): boolean {
  return snapshot !== undefined && Boolean(labelOf(snapshot)?.startsWith(beforePrefix));
}

/** Whether an agent's calls are noted. Older histories have no tag: there, a snapshot was taken before a call, and another after it. */
export function notesToolCalls(view: HistoryView, ancestry: readonly SnapshotInfo[]): boolean {
  if (view.snapshots.some(({ tags }) => tags.includes(wrappedTag))) return true;
  const labels = new Set(ancestry.map(labelOf));
  return [...labels].some(
    (label) => label?.startsWith(beforePrefix) && labels.has(label.slice(beforePrefix.length)),
  );
}

function hasChanges({ changes: { created, modified, deleted } }: SnapshotInfo): boolean {
  return created + modified + deleted > 0;
}

export interface StepOptions {
  /** How many are taken back or done again. */
  readonly count: number;
  /** A sentence that ends the message where that is not possible: what the user can do, in the words of the caller's commands. */
  readonly remedy: string;
}

/** What is to be done, and the snapshot to go to where nothing else has changed. */
export interface StepPlan {
  /** Newest first of an undo, oldest first of a redo. */
  readonly steps: readonly Step[];
  readonly changes: ApplyOptions['changes'];
  readonly target: SnapshotInfo;
  /** Whether files have changed beside the steps, which stay. */
  readonly keepsChanges: boolean;
}

/** @throws not-found where there are fewer steps than asked for, and nothing is done */
export function planUndo(view: StepView, { count, remedy }: StepOptions): StepPlan {
  const ancestry = foldCommands(ancestorsOf(view, view.head), view);
  const all = stepsOf(ancestry, { isNoted: notesToolCalls(view, ancestry), refreshed: view.refreshed });
  const steps = all.slice(0, count);
  assertEnough(steps, { count, remedy, verb: 'undo', where: 'no step leads to HEAD' });
  const { changes, target } = wayThrough(steps, 'before');
  // Files of one step's end are those of the next one's beginning, unless somebody has changed them in between.
  const ends = [ancestry[0], ...steps.map(({ before }) => before)];
  const keepsChanges = steps.some(({ after }, at) => after.tree !== ends[at]?.tree);
  return { steps, changes, target, keepsChanges };
}

/** @throws not-found, conflict */
export function planRedo(view: StepView, { count, remedy }: StepOptions): StepPlan {
  const undone = undoneIn(view);
  if (!undone || undone.id === view.head) {
    throw new SandboxError('not-found', 'Nothing to redo: nothing was undone');
  }
  const { ahead, isNoted, since } = aheadOf(view, undone);
  if (since.length > 0) {
    const message = `Cannot redo: other steps were made since. The tag ${undoneTag} names what was undone. ${remedy}`;
    throw new SandboxError('conflict', message);
  }
  const all = stepsOf(ahead, { isNoted, refreshed: view.refreshed }).toReversed();
  const steps = all.slice(0, count);
  assertEnough(steps, { count, remedy, verb: 'redo', where: 'nothing was undone' });
  const way = wayThrough(steps, 'after');
  // What came after the last step belongs to it.
  const target = steps.length === all.length ? undone : way.target;
  // An undo that took all leaves a snapshot of its own, with the files of where things parted.
  const head = view.snapshots.find(({ id }) => id === view.head);
  return { ...way, steps, target, keepsChanges: ahead.at(-1)?.tree !== head?.tree };
}

/** Whether `redo` leads on from HEAD: what is undone now is further back still. */
export function canRedo(view: StepView): boolean {
  const undone = undoneIn(view);
  return undone !== undefined && undone.id !== view.head && aheadOf(view, undone).since.length === 0;
}

function undoneIn({ snapshots }: HistoryView): SnapshotInfo | undefined {
  return snapshots.find(({ tags }) => tags.includes(undoneTag));
}

/** What leads from where HEAD has parted with it to what was undone, newest first and with that place; and the steps since there. */
function aheadOf(
  view: StepView,
  undone: SnapshotInfo,
): { readonly ahead: readonly SnapshotInfo[]; readonly isNoted: boolean; readonly since: readonly Step[] } {
  const ancestry = foldCommands(ancestorsOf(view, undone.id), view);
  const known = new Set(ancestry.map(({ id }) => id));
  const own = ancestorsOf(view, view.head);
  const parted = own.findIndex(({ id }) => known.has(id));
  const place = own[parted];
  const isNoted = notesToolCalls(view, ancestry);
  const since = stepsOf(own.slice(0, parted + 1), { isNoted, refreshed: view.refreshed });
  return {
    ahead: ancestry.slice(0, ancestry.findIndex(({ id }) => id === place?.id) + 1),
    isNoted,
    since: place ? since.filter(({ shown }) => labelOf(shown) !== keptLabel) : since,
  };
}

function wayThrough(steps: readonly Step[], end: 'before' | 'after'): Pick<StepPlan, 'changes' | 'target'> {
  const changes = steps.map(({ before, after }) => {
    if (!before)
      throw new SandboxError('not-found', 'Nothing was done: what was before the step is no longer kept');
    return end === 'before' ? { from: after.id, to: before.id } : { from: before.id, to: after.id };
  });
  const target = steps.at(-1)?.[end];
  if (!target) throw new SandboxError('not-found', 'There is no step');
  return { changes, target };
}

function assertEnough(
  { length }: readonly Step[],
  { count, remedy, verb, where }: StepOptions & { readonly verb: 'undo' | 'redo'; readonly where: string },
): void {
  if (length === 0) throw new SandboxError('not-found', `Nothing to ${verb}: ${where}. ${remedy}`);
  if (length === count) return;
  const steps = length === 1 ? 'there is only one' : `there are only ${length}`;
  const message = `Cannot ${verb} ${count} steps: ${steps}. Nothing was done. ${remedy}`;
  throw new SandboxError('not-found', message, { details: { steps: length } });
}
