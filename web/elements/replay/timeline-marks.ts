import { countChanges } from '../text/describe-snapshot.ts';
import { markHeight } from '../timeline/timeline-marks.ts';
import type { Step } from './session-steps.ts';

/** Places along a timeline: marks that fall on the same one are drawn once. */
const slots = 1_000;

/** A timeline's marks as paths of an SVG of 1,000 by `heightPx`. */
export interface TimelineMarks {
  readonly snapshots: string;
  readonly commands: string;
  readonly failures: string;
  /** Where chapters begin. */
  readonly chapters: readonly { readonly left: number; readonly text: string; readonly at: number }[];
}

/** Marks of all steps, at most one of each kind for each place: a session may have 50,000. */
export function timelineMarks(
  steps: readonly Step[],
  { duration, heightPx }: { readonly duration: number; readonly heightPx: number },
): TimelineMarks {
  const snapshots = new Map<number, number>();
  const commands = new Set<number>();
  const failures = new Set<number>();
  const chapters = new Map<number, { left: number; text: string; at: number }>();
  const slotOf = (at: number): number =>
    duration <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, at / duration)) * slots);
  for (const { kind, at, snapshot, end, text } of steps) {
    const slot = slotOf(at);
    if (kind === 'snapshot' && snapshot !== undefined) {
      const height = countChanges(snapshot.changes) === 0 ? 4 : markHeight(snapshot.changes, heightPx);
      snapshots.set(slot, Math.max(height, snapshots.get(slot) ?? 0));
    }
    if (kind === 'command' || kind === 'call') commands.add(slot);
    if (end?.failed) failures.add(slot);
    if (kind === 'chapter' && !chapters.has(slot)) chapters.set(slot, { left: slot / slots, text, at });
  }
  const line = (slot: number, from: number, to: number): string => `M${slot} ${from}V${to}`;
  return {
    snapshots: [...snapshots].map(([slot, height]) => line(slot, heightPx, heightPx - height)).join(''),
    commands: [...commands].map((slot) => line(slot, heightPx, heightPx - 6)).join(''),
    failures: [...failures].map((slot) => line(slot, heightPx, heightPx - 6)).join(''),
    chapters: [...chapters.values()],
  };
}
