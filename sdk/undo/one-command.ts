import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';

type ChangeSummary = SnapshotInfo['changes'];

/** Whether every run that `snapshot` names went on until `child`, which is the next one, was captured. */
export function isPartOf({ cause }: SnapshotInfo, child: SnapshotInfo): boolean {
  if (cause.type !== 'capture' || child.cause.type !== 'capture') return false;
  const later = child.cause.runs ?? [];
  return cause.runs?.every((run) => later.includes(run)) ?? false;
}

/**
 * Snapshots, newest first and each before its parents, with one for all captures of a command, however long it took: the
 * last one, with the parents of the first and the changes of all. One that has a tag, is HEAD, or goes on in two ways stays.
 */
export function foldCommands(
  snapshots: readonly SnapshotInfo[],
  { head }: { readonly head: string | undefined },
): SnapshotInfo[] {
  const children = new Map<string, number>();
  for (const { parents } of snapshots)
    for (const parent of parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  const folded: SnapshotInfo[] = [];
  // Of a command whose captures are being put together: the one that stands for it, and the oldest so far.
  const open = new Map<string, { readonly at: number; readonly oldest: SnapshotInfo }>();
  for (const snapshot of snapshots) {
    const group = open.get(snapshot.id);
    const isWhole = snapshot.tags.length > 0 || snapshot.id === head || children.get(snapshot.id) !== 1;
    const leader = group && !isWhole && isPartOf(snapshot, group.oldest) ? folded[group.at] : undefined;
    const at = group && leader ? group.at : folded.length;
    if (leader) {
      const changes = addUp([snapshot.changes, leader.changes]);
      folded[at] = { ...leader, parents: snapshot.parents, changes };
    } else folded.push(snapshot);
    const [parent, ...others] = snapshot.parents;
    if (parent !== undefined && others.length === 0) open.set(parent, { at, oldest: snapshot });
  }
  return folded;
}

/** What was changed in several steps together, oldest first: a file counts in each. */
export function addUp(all: readonly ChangeSummary[]): ChangeSummary {
  const sum = (pick: (changes: ChangeSummary) => number): number =>
    all.reduce((total, changes) => total + pick(changes), 0);
  return {
    created: sum(({ created }) => created),
    modified: sum(({ modified }) => modified),
    deleted: sum(({ deleted }) => deleted),
    paths: [...new Set(all.flatMap(({ paths }) => paths))],
  };
}
