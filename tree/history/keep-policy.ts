import { historyError } from './history-error.ts';
import type { SnapshotId } from './snapshot-record.ts';

/** What is kept of a history: its newest snapshots, then the newest of each hour and of each day that have one. */
export interface KeepPolicy {
  readonly last: number;
  readonly hourly: number;
  readonly daily: number;
}

/** What a policy knows of a snapshot. */
export interface KeepNode {
  readonly id: SnapshotId;
  readonly parents: readonly SnapshotId[];
  readonly takenAtMs: number;
  /** HEAD, tagged, the first one, or with memory that was asked for. */
  readonly pinned: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The largest number of a policy. */
const most = 100_000;

/**
 * The snapshots that a policy does not keep, oldest first. Tips of branches and snapshots at which branches part stay, so
 * that what can be merged can be merged afterwards. Hours and days are counted from the newest that has a snapshot, not
 * from now: neither an idle year nor a clock that jumps makes anything old. `snapshots` come oldest first.
 */
export function choosePruned(snapshots: readonly KeepNode[], policy: KeepPolicy): SnapshotId[] {
  const children = new Map<SnapshotId, number>();
  for (const parent of snapshots.flatMap(({ parents }) => parents))
    children.set(parent, (children.get(parent) ?? 0) + 1);
  const hours = new Set<number>();
  const days = new Set<number>();
  const pruned: SnapshotId[] = [];
  for (const [index, { id, takenAtMs, pinned }] of snapshots.toReversed().entries()) {
    const isNew = [
      isNewPeriod(hours, takenAtMs / hourMs, policy.hourly),
      isNewPeriod(days, takenAtMs / dayMs, policy.daily),
    ];
    const isInLine = children.get(id) === 1;
    if (index >= policy.last && !isNew.includes(true) && isInLine && !pinned) pruned.push(id);
  }
  return pruned.reverse();
}

/** Whether this is the newest snapshot of one of the last `count` periods. */
function isNewPeriod(seen: Set<number>, at: number, count: number): boolean {
  const period = Math.floor(at);
  if (seen.has(period) || seen.size >= count) return false;
  seen.add(period);
  return true;
}

/** The policy as the value of a ref (protocol/SPEC.md, SN-8). @throws invalid-argument */
export function keepPolicyText({ last, hourly, daily }: KeepPolicy): string {
  for (const [name, value] of Object.entries({ last, hourly, daily })) {
    if (Number.isInteger(value) && value >= 0 && value <= most) continue;
    const message = `Cannot keep snapshots so: "${name}" is ${value}, not an integer from 0 to ${most}`;
    throw historyError('invalid-argument', message);
  }
  return `${last} ${hourly} ${daily}`;
}

/** The policy that a ref holds; `undefined` where it holds none. */
export function keepPolicyFrom(value: string | undefined): KeepPolicy | undefined {
  const match = /^(\d{1,6}) (\d{1,6}) (\d{1,6})$/.exec(value ?? '');
  return match ? { last: Number(match[1]), hourly: Number(match[2]), daily: Number(match[3]) } : undefined;
}
