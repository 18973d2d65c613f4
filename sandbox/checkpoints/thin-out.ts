import type { Moment } from '../../protocol/recording.ts';

/** The newest moments, which stay. */
const newest = 20;
/** How much longer than others those of commands, and those that somebody left, stay. */
const lasting = 8;

type Told = Pick<Moment, 'id' | 'takenAtMs' | 'cause'>;

/**
 * Which moments to forget so that `count` fewer are left, the least missed first: those that are close to the
 * one before, for their age. So they become sparse with time, and a command's last longer than those in it.
 */
export function leastMissed(
  moments: readonly Told[],
  { count, nowMs }: { count: number; nowMs: number },
): Set<number> {
  const left = [...moments];
  const gone = new Set<number>();
  while (gone.size < count && left.length > newest) {
    let least = 0;
    let leastWorth = Number.POSITIVE_INFINITY;
    for (let at = 0; at < left.length - newest; at++) {
      const worth = worthOf(left, { at, nowMs });
      if (worth < leastWorth) [least, leastWorth] = [at, worth];
    }
    const [forgotten] = left.splice(least, 1);
    if (forgotten) gone.add(forgotten.id);
  }
  // A machine that writes more than fits has few, or none.
  for (const { id } of left) if (gone.size < count) gone.add(id);
  return gone;
}

function worthOf(moments: readonly Told[], { at, nowMs }: { at: number; nowMs: number }): number {
  const moment = moments[at];
  if (!moment) return Number.POSITIVE_INFINITY;
  const before = moments[at - 1]?.takenAtMs ?? moment.takenAtMs - 60_000;
  const gap = Math.max(1, moment.takenAtMs - before);
  const worth = gap / Math.max(1, nowMs - moment.takenAtMs);
  return moment.cause.type === 'interval' ? worth : worth * lasting;
}
