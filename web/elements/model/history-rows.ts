import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { addUp, isPartOf } from '../../../sdk/undo/one-command.ts';
import type { ChangeSummary, SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { type SandboxState, visibleSnapshots } from './sandbox-state.ts';

/** A snapshot as the history lists it. */
export interface HistoryRow {
  readonly snapshot: SnapshotInfo;
  /** The nearest ancestors that are listed. */
  readonly parents: readonly SnapshotId[];
  /** Earlier captures of the same run, oldest first; listed only while `isOpen`. */
  readonly steps: readonly SnapshotInfo[];
  readonly isOpen: boolean;
  /** If it is one of the steps of a run: its number, from 1. */
  readonly step: number | undefined;
  /** Changes against its parent; for a row with folded steps, those of all of them together. */
  readonly changes: ChangeSummary;
}

type RowState = Pick<
  SandboxState,
  'history' | 'hidden' | 'opened' | 'counted' | 'selected' | 'search' | 'filter'
>;

/**
 * The rows of the history, oldest first: one for each command, with the captures that were taken while it ran folded
 * under the last one. A capture that is tagged, at HEAD, marked by a branch or selected has a row of its own.
 */
export function historyRows(state: RowState): readonly HistoryRow[] {
  const snapshots = visibleSnapshots(state);
  const groups = groupSteps(snapshots, state.history?.head);
  const rows = snapshots.flatMap((snapshot) => rowsOf(snapshot, groups, state));
  return withListedParents(
    rows.filter((row) => matches(row, state)),
    state.history?.snapshots ?? [],
  );
}

/** The rows of the timeline: those of the history without its search filter. */
export function timelineRows(state: RowState): readonly HistoryRow[] {
  return historyRows({ ...state, search: '', filter: 'all' });
}

/** The row of a snapshot, with its folded steps. */
export function findRow(state: RowState, id: string): HistoryRow | undefined {
  return timelineRows(state).find(({ snapshot }) => snapshot.id === id);
}

/** The key of a folded row's count: the two snapshots that are compared for it. */
export function countKey(snapshot: SnapshotInfo, steps: readonly SnapshotInfo[]): string {
  return `${steps[0]?.parents[0]}..${snapshot.id}`;
}

interface Groups {
  /** Steps by the snapshot that they are folded under. */
  readonly steps: ReadonlyMap<SnapshotId, readonly SnapshotInfo[]>;
  /** The snapshot that each step is folded under. */
  readonly leaders: ReadonlyMap<SnapshotId, SnapshotId>;
}

function groupSteps(snapshots: readonly SnapshotInfo[], head: SnapshotId | undefined): Groups {
  const children = new Map<SnapshotId, SnapshotInfo[]>();
  for (const snapshot of snapshots) {
    for (const parent of snapshot.parents) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [snapshot]);
      else known.push(snapshot);
    }
  }
  const leaders = new Map<SnapshotId, SnapshotId>();
  const steps = new Map<SnapshotId, SnapshotInfo[]>();
  // Newest first, so that the leader of a step's child is known.
  for (const snapshot of snapshots.toReversed()) {
    const next = children.get(snapshot.id);
    const child = next?.[0];
    if (next?.length !== 1 || child === undefined) continue;
    if (snapshot.id === head || snapshot.tags.length > 0 || !isPartOf(snapshot, child)) continue;
    const leader = leaders.get(child.id) ?? child.id;
    leaders.set(snapshot.id, leader);
    const folded = steps.get(leader) ?? [];
    folded.unshift(snapshot);
    steps.set(leader, folded);
  }
  return { steps, leaders };
}

function rowsOf(snapshot: SnapshotInfo, groups: Groups, state: RowState): HistoryRow[] {
  const leader = groups.leaders.get(snapshot.id);
  const { parents, changes } = snapshot;
  if (leader !== undefined) {
    if (!isGroupOpen(groups.steps.get(leader), state) && state.selected !== snapshot.id) return [];
    const step = (groups.steps.get(leader)?.indexOf(snapshot) ?? 0) + 1;
    return [{ snapshot, parents, steps: [], isOpen: false, step, changes }];
  }
  const steps = groups.steps.get(snapshot.id) ?? [];
  const isOpen = isGroupOpen(steps, state);
  const all = isOpen
    ? changes
    : (state.counted.get(countKey(snapshot, steps)) ??
      addUp([...steps, snapshot].map((each) => each.changes)));
  return [{ snapshot, parents, steps, isOpen, step: undefined, changes: all }];
}

/** A group's key is its oldest step, since newer ones are added while its command runs. */
function isGroupOpen(steps: readonly SnapshotInfo[] | undefined, { opened }: RowState): boolean {
  const oldest = steps?.[0];
  return oldest !== undefined && opened.has(oldest.id);
}

/** Whether a row's text has every word of the search. */
function matches({ snapshot, steps, changes }: HistoryRow, { search, filter }: RowState): boolean {
  const { cause, tags } = snapshot;
  if (filter === 'tagged' && tags.length === 0) return false;
  if (filter === 'by-hand' && cause.type !== 'manual') return false;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const commands = [snapshot, ...steps].map((each) => Object.values(each.cause).flat().join(' '));
  const text = plainLine([...commands, ...tags, ...changes.paths, snapshot.id].join(' '), Infinity);
  return words.every((word) => text.toLowerCase().includes(word));
}

function withListedParents(rows: readonly HistoryRow[], all: readonly SnapshotInfo[]): HistoryRow[] {
  const listed = new Set(rows.map(({ snapshot }) => snapshot.id));
  const parents = new Map(all.map((snapshot) => [snapshot.id, snapshot.parents]));
  const nearest = (id: SnapshotId): SnapshotId | undefined => {
    const seen = new Set<SnapshotId>();
    let at: SnapshotId | undefined = id;
    while (at !== undefined && !listed.has(at) && !seen.has(at)) {
      seen.add(at);
      at = parents.get(at)?.[0];
    }
    return at;
  };
  return rows.map((row) => {
    const near = row.parents.flatMap((parent) => nearest(parent) ?? []);
    return { ...row, parents: [...new Set(near)] };
  });
}
