import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';

/** A place on the timeline: a snapshot, a checkpoint, or now. */
export type Stop =
  | { readonly type: 'snapshot'; readonly snapshot: SnapshotInfo }
  | { readonly type: 'checkpoint'; readonly checkpoint: Checkpoint }
  | { readonly type: 'now' };

/** A stop and its position, in slots from the left. */
export type PlacedStop = Stop & { readonly from: number; readonly width: number };

/** Slots that a stop takes: checkpoints take less, since there are many between the snapshots. */
const widths = { snapshot: 1, checkpoint: 0.25, now: 1 };

/** All stops in the order of time; the last one is now. */
export function placeStops(
  snapshots: readonly SnapshotInfo[],
  checkpoints: readonly Checkpoint[],
): readonly PlacedStop[] {
  const placed: PlacedStop[] = [];
  let from = 0;
  const place = (stop: Stop): void => {
    const width = widths[stop.type];
    placed.push({ ...stop, from, width });
    from += width;
  };
  let next = 0;
  const placeCheckpoints = (untilMs: number): void => {
    for (
      let checkpoint = checkpoints[next];
      checkpoint && checkpoint.takenAtMs <= untilMs;
      checkpoint = checkpoints[next]
    ) {
      place({ type: 'checkpoint', checkpoint });
      next++;
    }
  };
  for (const snapshot of snapshots) {
    placeCheckpoints(snapshot.takenAtMs);
    place({ type: 'snapshot', snapshot });
  }
  placeCheckpoints(Number.POSITIVE_INFINITY);
  place({ type: 'now' });
  return placed;
}

/** How many slots they take together. */
export function slotsOf(stops: readonly PlacedStop[]): number {
  const last = stops.at(-1);
  return last ? last.from + last.width : 0;
}

/** The index of the stop at `slot`, the first or the last one beyond the ends. */
export function stopAt(stops: readonly PlacedStop[], slot: number): number {
  const index = stops.findIndex(({ from, width }) => slot < from + width);
  return index < 0 ? stops.length - 1 : index;
}

/** The next stop after `from`, in one direction, that is not a checkpoint; `undefined` at the end. */
export function nextSnapshotStop(
  stops: readonly PlacedStop[],
  { from, by }: { readonly from: number; readonly by: 1 | -1 },
): PlacedStop | undefined {
  let at = from + by;
  while (stops[at]?.type === 'checkpoint') at += by;
  return stops[at];
}
