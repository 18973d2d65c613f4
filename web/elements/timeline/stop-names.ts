import type { HistoryRow } from '../model/history-rows.ts';
import { describeCheckpoint } from '../text/describe-checkpoint.ts';
import { countChanges, describeSnapshot, spellCounts } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';
import type { Stop } from './timeline-stops.ts';

/** The short line above the timeline: the time of a stop, and what it is. */
export function titleStop(stop: Stop | undefined, nowMs: number): string {
  if (stop === undefined || stop.type === 'now') return 'now';
  return `${timeOf(stop, nowMs)} ${whatOf(stop)}`;
}

/**
 * The accessible name of a stop, which says in words what its mark shows by colour, place and height: what it is,
 * when it was, and how many files it changed. The timeline is a slider, whose marks a screen reader does not reach
 * one by one; this is the slider's value.
 */
export function nameStop(
  stop: Stop | undefined,
  { rows, nowMs }: { readonly rows: readonly HistoryRow[]; readonly nowMs: number },
): string {
  if (stop === undefined || stop.type === 'now') return 'now';
  const title = `${whatOf(stop)}, ${timeOf(stop, nowMs)}`;
  if (stop.type === 'checkpoint') return `checkpoint, ${title}`;
  const row = rows.find(({ snapshot }) => snapshot.id === stop.snapshot.id);
  const changes = row?.changes ?? stop.snapshot.changes;
  const count = countChanges(changes);
  const files = count === 0 ? '' : `${count} ${count === 1 ? 'file' : 'files'}: `;
  return `snapshot, ${title}, ${files}${spellCounts(changes)}`;
}

type PastStop = Exclude<Stop, { readonly type: 'now' }>;

function whatOf(stop: PastStop): string {
  return stop.type === 'checkpoint' ? describeCheckpoint(stop.checkpoint) : describeSnapshot(stop.snapshot);
}

function timeOf(stop: PastStop, nowMs: number): string {
  const { takenAtMs } = stop.type === 'checkpoint' ? stop.checkpoint : stop.snapshot;
  return clockTime(takenAtMs, nowMs, { seconds: true });
}
