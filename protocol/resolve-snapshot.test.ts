import { expect, test } from 'vitest';
import { resolveSnapshot } from './resolve-snapshot.ts';
import type { HistoryView, SnapshotInfo } from './sandbox/history.ts';

function snapshot(digit: string, parent?: string): SnapshotInfo {
  const id = digit.repeat(64) as SnapshotInfo['id'];
  const parents = parent === undefined ? [] : [parent.repeat(64) as SnapshotInfo['id']];
  return { id, parents, tags: digit === 'b' ? ['good'] : [] } as unknown as SnapshotInfo;
}

const view = {
  snapshots: [snapshot('a'), snapshot('b', 'a'), snapshot('c', 'b')],
  head: 'c'.repeat(64),
  pending: { created: 0, modified: 0, deleted: 0, paths: [] },
} as unknown as HistoryView;

test.each([
  ['HEAD', 'c'],
  ['HEAD~', 'b'],
  ['HEAD~2', 'a'],
  ['good~1', 'a'],
  ['cccc~0', 'c'],
])('R-4 %s is a snapshot', (reference, digit) => {
  expect(resolveSnapshot(view, reference)).toBe(digit.repeat(64));
});

test('R-4 a reference past the first snapshot is refused', () => {
  expect(() => resolveSnapshot(view, 'HEAD~3')).toThrow('the history has 2 there');
});
