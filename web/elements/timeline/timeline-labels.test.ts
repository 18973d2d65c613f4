import { expect, test } from 'vitest';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { placeLabels } from './timeline-labels.ts';
import { placeStops } from './timeline-stops.ts';

const snapshots = (count: number): SnapshotInfo[] =>
  Array.from(
    { length: count },
    (_, at) =>
      ({ takenAtMs: at, cause: { type: 'capture', commands: [`make ${at}`] } }) as unknown as SnapshotInfo,
  );

test('R-3 a mark has the command and its time below it, as many as there is room for', () => {
  const few = placeLabels(placeStops(snapshots(4), []), 1_000);
  expect(few.map(({ leftPx, widthPx, text }) => [leftPx, widthPx, text])).toEqual([
    [100, 192, 'make 0'],
    [300, 192, 'make 1'],
    [500, 192, 'make 2'],
    [700, 192, 'make 3'],
  ]);
  const many = placeLabels(placeStops(snapshots(100), []), 1_000);
  expect(many.length).toBeGreaterThan(4);
  // A time and some words of a command.
  expect(Math.min(...many.map(({ widthPx }) => widthPx))).toBeGreaterThanOrEqual(148);
  const ends = many.map(({ leftPx, widthPx }) => leftPx + widthPx);
  expect(many.slice(1).every(({ leftPx }, at) => leftPx >= (ends[at] ?? 0))).toBe(true);
  expect(Math.max(...ends)).toBeLessThanOrEqual(1_000);
  expect(placeLabels(placeStops(snapshots(4), []), 0)).toEqual([]);
});
