import { describeSnapshot } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';
import { type PlacedStop, slotsOf } from './timeline-stops.ts';

/** The name of a mark, below it. */
export interface TimelineLabel {
  readonly leftPx: number;
  readonly widthPx: number;
  readonly time: string;
  readonly text: string;
}

/** A label with fewer pixels, a time and the beginning of a command, cannot be read. */
const narrowestPx = 148;
const widestPx = 220;
const gapPx = 8;

/** Names and times of as many snapshots as fit, each up to the next mark with a label. */
export function placeLabels(
  stops: readonly PlacedStop[],
  trackPx: number,
  nowMs: number = Date.now(),
): readonly TimelineLabel[] {
  const slotPx = trackPx / slotsOf(stops);
  const middles = stops.flatMap((stop) =>
    stop.type === 'checkpoint' ? [] : [{ stop, leftPx: (stop.from + stop.width / 2) * slotPx }],
  );
  const labels: TimelineLabel[] = [];
  let fromPx = 0;
  middles.forEach(({ stop, leftPx }, index) => {
    if (stop.type !== 'snapshot' || leftPx < fromPx) return;
    const next = middles.slice(index + 1).find((other) => other.leftPx - leftPx >= narrowestPx + gapPx);
    const untilPx = next?.leftPx ?? trackPx + gapPx;
    const widthPx = Math.min(widestPx, untilPx - leftPx - gapPx);
    if (widthPx < narrowestPx) return;
    fromPx = leftPx + widthPx + gapPx;
    const time = clockTime(stop.snapshot.takenAtMs, nowMs);
    labels.push({ leftPx, widthPx, time, text: describeSnapshot(stop.snapshot) });
  });
  return labels;
}
