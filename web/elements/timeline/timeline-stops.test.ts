import { expect, test } from 'vitest';
import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { nextSnapshotStop, placeStops, slotsOf, stopAt } from './timeline-stops.ts';

const snapshot = (takenAtMs: number): SnapshotInfo => ({ takenAtMs }) as SnapshotInfo;
const checkpoint = (takenAtMs: number): Checkpoint => ({ id: takenAtMs, takenAtMs }) as Checkpoint;

test('B-4 checkpoints lie between the snapshots, in the order of time, and now is the last stop', () => {
  const stops = placeStops(
    [snapshot(10), snapshot(20)],
    [checkpoint(5), checkpoint(12), checkpoint(14), checkpoint(30)],
  );
  expect(stops.map(({ type }) => type)).toEqual([
    'checkpoint',
    'snapshot',
    'checkpoint',
    'checkpoint',
    'snapshot',
    'checkpoint',
    'now',
  ]);
  expect(slotsOf(stops)).toBe(4);
  expect([-1, 0, 0.3, 1.2, 1.3, 2, 2.9, 3.5, 99].map((slot) => stopAt(stops, slot))).toEqual([
    0, 0, 1, 1, 2, 4, 5, 6, 6,
  ]);
});

test('without checkpoints every snapshot has a slot, and an empty history has now', () => {
  expect(placeStops([snapshot(1), snapshot(2)], []).map(({ from }) => from)).toEqual([0, 1, 2]);
  expect(slotsOf(placeStops([], []))).toBe(1);
});

test('B-4 a step to the next snapshot leaves checkpoints out, and begins at one where one is shown', () => {
  const stops = placeStops(
    [snapshot(10), snapshot(20)],
    [checkpoint(5), checkpoint(12), checkpoint(14), checkpoint(30)],
  );
  const next = [0, 1, 2, 4, 5, 6].map((from) => nextSnapshotStop(stops, { from, by: 1 }));
  expect(next).toEqual([1, 4, 4, 6, 6, -1].map((at) => stops[at]));
  const before = [0, 1, 3, 4, 5, 6].map((from) => nextSnapshotStop(stops, { from, by: -1 }));
  expect(before).toEqual([-1, -1, 1, 1, 4, 4].map((at) => stops[at]));
});
