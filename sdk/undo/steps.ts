import { SandboxError } from '../../protocol/errors.ts';
import type { HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ancestorsOf } from './ancestors.ts';
import { foldCommands } from './one-command.ts';

/** Labels of snapshots that were taken before a step, and are none themselves, begin so. */
export const beforePrefix = 'before ';

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

/**
 * The steps of an ancestry, which is newest first and ends where things began. Where an agent's tool calls are noted, a step is
 * a snapshot with a name, of such a call or a commit, and what was captured since the one before belongs to it; what has changed
 * since the newest of them is a step of its own. Elsewhere each snapshot that changed files is one, with those after it that
 * changed none: they name it, or are of commands that wrote nothing that is kept.
 */
function stepsOf(
  ancestry: readonly SnapshotInfo[],
  { isNoted, end }: { readonly isNoted: boolean; readonly end: string },
): readonly Step[] {
  return isNoted ? notedSteps(ancestry, end) : changingSteps(ancestry);
}

function notedSteps(ancestry: readonly SnapshotInfo[], end: string): readonly Step[] {
  const isNamed = (snapshot: SnapshotInfo) => labelOf(snapshot) !== undefined;
  return ancestry.slice(0, -1).flatMap((snapshot, at) => {
    const label = labelOf(snapshot);
    if (label === undefined ? snapshot.id !== end : label.startsWith(beforePrefix)) return [];
    const rest = ancestry.slice(at + 1);
    return [{ shown: snapshot, after: snapshot, before: rest.find(isNamed) ?? rest.at(-1) }];
  });
}

function changingSteps(ancestry: readonly SnapshotInfo[]): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < ancestry.length - 1; ) {
    const rest = ancestry.slice(at, -1);
    const changed = rest.findIndex(hasChanges);
    const members = changed < 0 ? rest : rest.slice(0, changed + 1);
    const [after] = members;
    const shown = members.find((each) => labelOf(each) !== undefined) ?? members.at(-1);
    at += members.length;
    if (after && shown) steps.push({ shown, after, before: ancestry[at] });
  }
  return steps;
}

function notesToolCalls(ancestry: readonly SnapshotInfo[]): boolean {
  return ancestry.some((snapshot) => labelOf(snapshot)?.startsWith(beforePrefix));
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

/** Where to go to take back the last steps that lead to HEAD, and which those are, newest first. @throws not-found */
export function planUndo(
  view: HistoryView,
  { count, remedy }: StepOptions,
): { readonly target: SnapshotInfo; readonly steps: readonly SnapshotInfo[] } {
  const ancestry = foldCommands(ancestorsOf(view, view.head), view);
  const steps = stepsOf(ancestry, { isNoted: notesToolCalls(ancestry), end: view.head }).slice(0, count);
  const last = steps.at(-1);
  if (!last) throw new SandboxError('not-found', `Nothing to undo: no step leads to HEAD. ${remedy}`);
  if (last.before) return { target: last.before, steps: steps.map(({ shown }) => shown) };
  throw new SandboxError('not-found', 'Nothing to undo: what was before the step is no longer kept');
}

/** Where to go to have undone steps again, oldest first. @throws not-found, conflict */
export function planRedo(
  view: HistoryView,
  { count, remedy }: StepOptions,
): { readonly target: SnapshotInfo; readonly steps: readonly SnapshotInfo[] } {
  const undone = view.snapshots.find(({ tags }) => tags.includes(undoneTag));
  if (!undone || undone.id === view.head) {
    throw new SandboxError('not-found', 'Nothing to redo: nothing was undone');
  }
  const ancestry = foldCommands(ancestorsOf(view, undone.id), view);
  const at = ancestry.findIndex(({ id }) => id === view.head);
  if (at < 0) {
    const message = `Cannot redo: files have changed since. The tag ${undoneTag} names what was undone. ${remedy}`;
    throw new SandboxError('conflict', message);
  }
  // From HEAD on, which is where the first of them begins.
  const ahead = ancestry.slice(0, at + 1);
  const all = stepsOf(ahead, { isNoted: notesToolCalls(ancestry), end: undone.id }).toReversed();
  const steps = all.slice(0, count);
  // What came after the last step belongs to it.
  const target = steps.length === all.length ? undone : steps.at(-1)?.after;
  return { target: target ?? undone, steps: steps.map(({ shown }) => shown) };
}
