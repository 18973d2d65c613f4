import { SandboxError } from '../../protocol/errors.ts';
import type { HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ancestorsOf } from './ancestors.ts';

/** Labels of snapshots that were taken before a step, and are none themselves, begin so. */
export const beforePrefix = 'before ';

/** The tag at the newest of what was undone: `redo` goes there, and it is not forgotten. */
export const undoneTag = 'undone';

/** The label of a snapshot that was given one. */
export function labelOf({ cause }: SnapshotInfo): string | undefined {
  return cause.type === 'manual' && cause.label !== '' ? cause.label : undefined;
}

/**
 * The steps of a way, which is newest first and ends where things began. Where an agent's tool calls are noted, a step is a
 * snapshot with a name, of such a call or a commit, and what was captured on the way to it belongs to it; at the end of the
 * way, what has changed since the last one is a step of its own. Elsewhere each snapshot is one.
 */
function stepsOf(
  way: readonly SnapshotInfo[],
  { isNoted, end }: { readonly isNoted: boolean; readonly end: string },
): readonly SnapshotInfo[] {
  if (!isNoted) return way;
  return way.filter((snapshot) => {
    const label = labelOf(snapshot);
    return label === undefined ? snapshot.id === end : !label.startsWith(beforePrefix);
  });
}

function notesToolCalls(way: readonly SnapshotInfo[]): boolean {
  return way.some((snapshot) => labelOf(snapshot)?.startsWith(beforePrefix));
}

/** One without is a name for what was captured before it, as of an agent that tells only what it has done. */
function hasChanges({ changes: { created, modified, deleted } }: SnapshotInfo): boolean {
  return created + modified + deleted > 0;
}

/** Where to go to take back the last steps of HEAD's way, and which those are, newest first. @throws not-found */
export function planUndo(
  view: HistoryView,
  count: number,
): { readonly target: SnapshotInfo; readonly steps: readonly SnapshotInfo[] } {
  const way = ancestorsOf(view, view.head);
  const isNoted = notesToolCalls(way);
  const steps = stepsOf(way.slice(0, -1), { isNoted, end: view.head }).slice(0, count);
  const last = steps.at(-1);
  if (!last)
    throw new SandboxError('not-found', 'Nothing to undo: no step leads to HEAD. coppice log shows the way');
  const rest = way.slice(way.indexOf(last) + 1);
  const target = isNoted
    ? (rest.find((snapshot) => labelOf(snapshot) !== undefined) ?? rest.at(-1))
    : ((hasChanges(last) ? undefined : rest.at(1)) ?? rest.at(0));
  if (target) return { target, steps };
  throw new SandboxError('not-found', 'Nothing to undo: what was before the step is no longer kept');
}

/** Where to go to have undone steps again, oldest first. @throws not-found, conflict */
export function planRedo(
  view: HistoryView,
  count: number,
): { readonly target: SnapshotInfo; readonly steps: readonly SnapshotInfo[] } {
  const undone = view.snapshots.find(({ tags }) => tags.includes(undoneTag));
  if (!undone || undone.id === view.head) {
    throw new SandboxError('not-found', 'Nothing to redo: nothing was undone');
  }
  const way = ancestorsOf(view, undone.id);
  const at = way.findIndex(({ id }) => id === view.head);
  if (at < 0) {
    const message = `Cannot redo: files have changed since. What was undone is the tag ${undoneTag}: coppice checkout ${undoneTag} goes there, coppice merge ${undoneTag} brings both together`;
    throw new SandboxError('conflict', message);
  }
  const ahead = way.slice(0, at).toReversed();
  const all = stepsOf(ahead, { isNoted: notesToolCalls(way), end: undone.id });
  const steps = all.slice(0, count);
  // What came after the last step belongs to it.
  const target = steps.length === all.length ? undone : steps.at(-1);
  return { target: target ?? undone, steps };
}
