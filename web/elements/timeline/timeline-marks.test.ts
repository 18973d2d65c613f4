import { expect, test } from 'vitest';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { ancestorsOf, markHeight, stepInTimeline } from './timeline-marks.ts';

const changed = (
  created: number,
): { created: number; modified: number; deleted: number; paths: string[] } => ({
  created,
  modified: 0,
  deleted: 0,
  paths: [],
});

test('a mark is taller the more changed, and always there', () => {
  expect([0, 1, 100, 2_000, 1e6].map((count) => markHeight(changed(count), 28))).toEqual([4, 6, 19, 28, 28]);
});

test('R-4 the way to HEAD is its ancestors, even where a parent is gone or a loop is claimed', () => {
  const node = (id: string, ...parents: string[]): { id: SnapshotId; parents: SnapshotId[] } => ({
    id: id as SnapshotId,
    parents: parents as SnapshotId[],
  });
  const nodes = [node('a', 'c'), node('b', 'a'), node('c', 'b'), node('d', 'a')];
  expect([...ancestorsOf(nodes, 'b' as SnapshotId)].sort()).toEqual(['a', 'b', 'c']);
  expect(ancestorsOf(nodes, undefined).size).toBe(0);
});

test('keys move as on a slider', () => {
  const place = { index: 5, last: 20 };
  const keys = ['ArrowLeft', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'x'];
  expect(keys.map((key) => stepInTimeline(key, place))).toEqual([4, 6, 0, 15, 0, 20, undefined]);
});
