import { historyLimits } from './limits.ts';
import type { SnapshotId } from './snapshot-record.ts';

/** What retention knows of a snapshot. */
export interface RetentionNode {
  readonly id: SnapshotId;
  readonly parents: readonly SnapshotId[];
  readonly takenAtMs: number;
  /** HEAD, tagged, made by hand, or a root: never forgotten. */
  readonly pinned: boolean;
}

/** Up to this age, one snapshot is kept for each stretch of time on each branch; 0 keeps all. */
interface RetentionTier {
  readonly maxAgeMs: number;
  readonly everyMs: number;
}

export interface RetentionPolicy {
  /** Youngest first; the last one's interval also applies to everything older. */
  readonly tiers: readonly RetentionTier[];
  /** Most snapshots that are not pinned. */
  readonly automaticSnapshots: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** As much of a pause between two snapshots counts at any age. */
const shortPauseMs = 5 * minuteMs;

/** All of the last half hour, then one a minute, one in ten minutes, one an hour, one a day. */
export const defaultRetention: RetentionPolicy = {
  tiers: [
    { maxAgeMs: hourMs / 2, everyMs: 0 },
    { maxAgeMs: 3 * hourMs, everyMs: minuteMs },
    { maxAgeMs: dayMs, everyMs: 10 * minuteMs },
    { maxAgeMs: 7 * dayMs, everyMs: hourMs },
    { maxAgeMs: Number.POSITIVE_INFINITY, everyMs: dayMs },
  ],
  automaticSnapshots: historyLimits.automaticSnapshots,
};

/**
 * Selects the snapshots to forget: recent ones stay dense, older ones become sparse. The newest of a stretch stays,
 * and so do pinned ones, tips and forks of branches; only past `automaticSnapshots` do old tips and forks go,
 * oldest first. `snapshots` come oldest first.
 */
export function planRetention(
  snapshots: readonly RetentionNode[],
  policy: RetentionPolicy = defaultRetention,
): SnapshotId[] {
  const intervals = intervalsOf(snapshots, policy.tiers);
  const childCount = new Map<SnapshotId, number>();
  for (const parent of snapshots.flatMap((node) => node.parents)) {
    childCount.set(parent, (childCount.get(parent) ?? 0) + 1);
  }
  const isInLine = ({ id, pinned }: RetentionNode) => !pinned && childCount.get(id) === 1;
  const byId = new Map(snapshots.map((node) => [node.id, node]));
  const forget = new Set<SnapshotId>();
  // From the newest to the oldest of each line: the first one in each interval stays.
  const keptBelow = new Map<SnapshotId, RetentionNode>();
  for (const node of snapshots.toReversed()) {
    const below = keptBelow.get(node.id);
    const isCrowded =
      isInLine(node) && below !== undefined && isSameStretch(node, below, intervals.get(node.id) ?? 0);
    if (isCrowded) forget.add(node.id);
    const [parent] = node.parents;
    const stays = isCrowded ? below : node;
    if (parent !== undefined && stays && byId.has(parent)) keptBelow.set(parent, stays);
  }
  const automatic = snapshots.filter(({ id, pinned }) => !pinned && !forget.has(id));
  const excess = Math.max(0, automatic.length - policy.automaticSnapshots);
  return [...forget, ...automatic.slice(0, excess).map(({ id }) => id)];
}

/**
 * The interval, in ms, in which one of each snapshot and its neighbours stays. Ages count from the newest snapshot, and of a pause
 * without any as much as is usual between snapshots of that age: neither an idle night nor a clock that jumps makes anything old.
 */
function intervalsOf(
  snapshots: readonly RetentionNode[],
  tiers: readonly RetentionTier[],
): ReadonlyMap<SnapshotId, number> {
  const intervals = new Map<SnapshotId, number>();
  let ageMs = 0;
  let newer: RetentionNode | undefined;
  for (const node of snapshots.toReversed()) {
    const gapMs = Math.max(0, (newer?.takenAtMs ?? node.takenAtMs) - node.takenAtMs);
    ageMs += Math.min(gapMs, Math.max(shortPauseMs, 2 * everyMsAt(ageMs, tiers)));
    intervals.set(node.id, everyMsAt(ageMs, tiers));
    newer = node;
  }
  return intervals;
}

function everyMsAt(ageMs: number, tiers: readonly RetentionTier[]): number {
  return (tiers.find(({ maxAgeMs }) => ageMs <= maxAgeMs) ?? tiers.at(-1))?.everyMs ?? 0;
}

/** Fixed intervals, not distances, so that a later run keeps what this one kept. */
function isSameStretch(older: RetentionNode, newer: RetentionNode, everyMs: number): boolean {
  if (everyMs === 0) return false;
  return Math.floor(older.takenAtMs / everyMs) === Math.floor(newer.takenAtMs / everyMs);
}
