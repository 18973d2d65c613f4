import { expect, test } from 'vitest';
import type { Checkpoint } from '../../protocol/checkpoint.ts';
import { leastMissed } from './thin-out.ts';

type Told = Pick<Checkpoint, 'id' | 'takenAtMs' | 'cause'>;

const everySecond = (count: number): Told[] =>
  Array.from({ length: count }, (_, id) => ({ id, takenAtMs: id * 1_000, cause: { type: 'interval' } }));

function thinOut(checkpoints: readonly Told[], left: number): Told[] {
  let kept = [...checkpoints];
  const nowMs = (checkpoints.at(-1)?.takenAtMs ?? 0) + 1;
  while (kept.length > left) {
    const gone = leastMissed(kept, { count: Math.min(50, kept.length - left), nowMs });
    kept = kept.filter(({ id }) => !gone.has(id));
  }
  return kept;
}

test('checkpoints become sparse with age, and the newest stay', () => {
  const kept = thinOut(everySecond(2_000), 100).map(({ id }) => id);
  expect(kept).toHaveLength(100);
  expect(kept.slice(-20)).toEqual(Array.from({ length: 20 }, (_, at) => 1_980 + at));
  const newer = kept.filter((id) => id >= 1_000).length;
  expect(newer).toBeGreaterThan(70);
  expect(kept.filter((id) => id < 1_000).length).toBeGreaterThan(3);
});

test('those of commands outlast those in them', () => {
  const checkpoints = everySecond(400).map(
    (checkpoint): Told =>
      checkpoint.id % 20 === 0 ? { ...checkpoint, cause: { type: 'command', command: 'make' } } : checkpoint,
  );
  const kept = thinOut(checkpoints, 60);
  const commands = kept.filter(({ cause }) => cause.type === 'command');
  expect(commands.length).toBeGreaterThan(15);
});

test('where there is no room at all, as many go as must', () => {
  expect(leastMissed(everySecond(5), { count: 3, nowMs: 9_000 })).toEqual(new Set([0, 1, 2]));
});
