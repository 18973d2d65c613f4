import type { Checkpoint } from '../../protocol/checkpoint.ts';

/** The newest checkpoints, which stay. */
const newest = 20;
/** How much longer than others those of commands, and those that somebody left, stay. */
const lasting = 8;

type Told = Pick<Checkpoint, 'id' | 'takenAtMs' | 'cause'>;

/**
 * Which checkpoints to forget so that `count` fewer are left, the least missed first: those that are close to the
 * one before, for their age. So they become sparse with time, and a command's last longer than those in it.
 */
export function leastMissed(
  checkpoints: readonly Told[],
  { count, nowMs }: { count: number; nowMs: number },
): Set<number> {
  const left = [...checkpoints];
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

function worthOf(checkpoints: readonly Told[], { at, nowMs }: { at: number; nowMs: number }): number {
  const checkpoint = checkpoints[at];
  if (!checkpoint) return Number.POSITIVE_INFINITY;
  const before = checkpoints[at - 1]?.takenAtMs ?? checkpoint.takenAtMs - 60_000;
  const gap = Math.max(1, checkpoint.takenAtMs - before);
  const worth = gap / Math.max(1, nowMs - checkpoint.takenAtMs);
  return checkpoint.cause.type === 'interval' ? worth : worth * lasting;
}
