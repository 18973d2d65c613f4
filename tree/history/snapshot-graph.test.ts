import { describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { type GraphNode, SnapshotGraph } from './snapshot-graph.ts';
import type { SnapshotId } from './snapshot-record.ts';

const idOf = (seed: number) => sampleObject(seed).id as SnapshotId;

/** A line of snapshots that counts how often one is looked at. */
function countedLine(length: number): { nodes: GraphNode[]; visits: { count: number } } {
  const visits = { count: 0 };
  const nodes = Array.from({ length }, (_, seed) => ({
    id: idOf(seed),
    get ordinal() {
      visits.count++;
      return seed + 1;
    },
    get parents() {
      visits.count++;
      return seed === 0 ? [] : [idOf(seed - 1)];
    },
  }));
  return { nodes, visits };
}

describe('the graph of snapshots', () => {
  test('R-4 takes a snapshot without a look at the others, however many there are', () => {
    const { nodes, visits } = countedLine(500);
    const graph = new SnapshotGraph(nodes);
    visits.count = 0;
    const added = graph.placeOf(idOf(900), [idOf(499), idOf(901)]);
    graph.add(added);
    expect(visits.count).toBe(0);
    expect(added).toEqual({ id: idOf(900), ordinal: 501, parents: [idOf(499)] });
  });

  test('R-4 is the same, whether snapshots came one by one or all at once', () => {
    const one = new SnapshotGraph([]);
    const parents = [[], [0], [0], [1, 2], [3], [2]].map((seeds) => seeds.map(idOf));
    for (const [seed, above] of parents.entries()) one.add(one.placeOf(idOf(seed), above));
    const whole = new SnapshotGraph(one.nodes().toReversed());
    for (const graph of [one, whole]) {
      expect(graph.nodes()).toEqual(one.nodes());
      expect(graph.leaves()).toEqual([idOf(4), idOf(5)]);
      expect(graph.children(idOf(0))).toEqual([idOf(1), idOf(2)]);
      expect(graph.line(idOf(4))).toEqual([4, 3, 1, 0].map(idOf));
    }
    const children = one.children(idOf(0));
    one.add(one.placeOf(idOf(6), [idOf(0)]));
    expect(children).toHaveLength(2);
  });
});
