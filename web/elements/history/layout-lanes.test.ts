import { describe, expect, test } from 'vitest';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { moveInHistory } from './history-keys.ts';
import { type LaneNode, type LaneRow, layoutLanes } from './layout-lanes.ts';

function node(id: string, ...parents: string[]): LaneNode {
  return { id: id as SnapshotId, parents: parents as SnapshotId[] };
}

/** `lane` of each row and its edges as text: `v0` down, `^1` from above, `|1` through; `*` is live. */
function draw(rows: readonly LaneRow[]): string[] {
  const signs = { through: '|', above: '^', below: 'v' };
  return rows.map(({ id, lane, edges }) =>
    [`${id}@${lane}`, ...edges.map((edge) => `${signs[edge.type]}${edge.lane}${edge.live ? '*' : ''}`)].join(
      ' ',
    ),
  );
}

describe('layoutLanes', () => {
  test('R-4 a straight history is one live lane', () => {
    expect(draw(layoutLanes([node('b', 'a'), node('a')], 'b' as SnapshotId))).toEqual([
      'now@0 v0*',
      'b@0 ^0* v0*',
      'a@0 ^0*',
    ]);
  });

  test('R-4 a dead end keeps its own lane down to where it starts', () => {
    const nodes = [node('d', 'b'), node('c', 'b'), node('b', 'a'), node('a')];
    expect(draw(layoutLanes(nodes, 'c' as SnapshotId))).toEqual([
      'now@0 v0*',
      'd@1 |0* v1',
      'c@0 ^0* |1 v0*',
      'b@0 ^0* ^1 v0*',
      'a@0 ^0*',
    ]);
  });

  test('R-4 lane 0 waits for HEAD, however many branches are newer', () => {
    const nodes = [node('e', 'd'), node('d', 'a'), node('c', 'a'), node('b', 'a'), node('a')];
    const rows = layoutLanes(nodes, 'b' as SnapshotId);
    expect(rows.map(({ id, lane, live }) => [id, lane, live])).toEqual([
      ['now', 0, true],
      ['e', 1, false],
      ['d', 1, false],
      ['c', 2, false],
      ['b', 0, true],
      ['a', 0, true],
    ]);
  });

  test('a parent that is no longer kept ends its lane', () => {
    expect(draw(layoutLanes([node('b', 'gone')], 'b' as SnapshotId))).toEqual(['now@0 v0*', 'b@0 ^0*']);
  });

  test('10,000 snapshots are laid out', () => {
    const nodes = Array.from({ length: 10_000 }, (_, index) => node(`${10_000 - index}`, `${9_999 - index}`));
    expect(layoutLanes(nodes, '10000' as SnapshotId).length).toBe(10_001);
  });
});

describe('moveInHistory', () => {
  const newestFirst = [node('d', 'b'), node('c', 'b'), node('b', 'a'), node('a')];
  const head = 'c' as SnapshotId;
  const rows = layoutLanes(newestFirst, head);
  const move = (key: string, current: string): string | undefined =>
    moveInHistory(key, { rows, newestFirst, head, current: current as SnapshotId, pageRows: 3 });

  test('up and down go by row and stop at the ends', () => {
    expect([move('ArrowDown', 'now'), move('ArrowUp', 'd'), move('ArrowUp', 'now')]).toEqual([
      'd',
      'now',
      'now',
    ]);
    expect([move('End', 'now'), move('Home', 'a'), move('PageDown', 'now'), move('ArrowDown', 'a')]).toEqual([
      'a',
      'now',
      'b',
      'a',
    ]);
  });

  test('left goes to the parent, right to the newest child, and from HEAD to now', () => {
    expect([move('ArrowLeft', 'now'), move('ArrowLeft', 'd'), move('ArrowLeft', 'a')]).toEqual([
      'c',
      'b',
      undefined,
    ]);
    expect([move('ArrowRight', 'b'), move('ArrowRight', 'c'), move('ArrowRight', 'd')]).toEqual([
      'd',
      'now',
      undefined,
    ]);
  });

  test('other keys lead nowhere', () => {
    expect(move('x', 'a')).toBeUndefined();
  });
});
