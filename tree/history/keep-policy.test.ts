import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { choosePruned, type KeepNode } from './keep-policy.ts';
import type { SnapshotId } from './snapshot-record.ts';

const hourMs = 3_600_000;

/** A line of snapshots taken at these hours, the last one HEAD. */
function line(hours: readonly number[]): KeepNode[] {
  return hours.map((hour, at) => ({
    id: String(at) as SnapshotId,
    parents: at === 0 ? [] : [String(at - 1) as SnapshotId],
    takenAtMs: hour * hourMs,
    pinned: at === 0 || at === hours.length - 1,
  }));
}

function kept(nodes: readonly KeepNode[], policy: Parameters<typeof choosePruned>[1]): number[] {
  const pruned = new Set<string>(choosePruned(nodes, policy));
  return nodes.map(({ id }) => Number(id)).filter((id) => !pruned.has(String(id)));
}

describe('what a policy keeps (R-10)', () => {
  test('the last ones, then the newest of each hour, then of each day', () => {
    const nodes = line([0, 1, 24, 25, 47, 48, 48.2, 48.6, 49, 49.5]);
    expect(kept(nodes, { last: 2, hourly: 0, daily: 0 })).toEqual([0, 8, 9]);
    expect(kept(nodes, { last: 0, hourly: 3, daily: 0 })).toEqual([0, 4, 7, 9]);
    expect(kept(nodes, { last: 1, hourly: 1, daily: 3 })).toEqual([0, 1, 4, 9]);
  });

  test('hours without a snapshot do not count, and a clock that jumped makes nothing old', () => {
    const policy = { last: 0, hourly: 3, daily: 0 };
    expect(kept(line([0, 1, 2, 3]), policy)).toEqual([0, 1, 2, 3]);
    expect(kept(line([0, 1, 2, 900_000]), policy)).toEqual([0, 1, 2, 3]);
    expect(kept(line([900_000, 1, 2, 3]), policy)).toEqual([0, 1, 2, 3]);
  });

  test('tips of branches, where they part, and what is pinned stay; only how many are kept beside them varies', () => {
    const policy = fc.record({ last: fc.nat(5), hourly: fc.nat(5), daily: fc.nat(3) });
    const shape = fc.array(fc.record({ parent: fc.nat(50), hour: fc.nat(200), pinned: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(shape, policy, (made, asked) => {
        const nodes = made.map(({ parent, hour, pinned }, at): KeepNode => {
          const parents = at === 0 ? [] : [String(parent % at) as SnapshotId];
          return { id: String(at) as SnapshotId, parents, takenAtMs: hour * hourMs, pinned };
        });
        const pruned = choosePruned(nodes, asked);
        const children = (id: string) => nodes.filter(({ parents }) => parents.some((each) => each === id));
        for (const id of pruned) {
          expect(nodes.find((node) => node.id === id)?.pinned).toBe(false);
          expect(children(id)).toHaveLength(1);
        }
        const newest = nodes.slice(Math.max(0, nodes.length - asked.last)).map(({ id }) => id);
        expect(pruned.filter((id) => newest.includes(id))).toEqual([]);
        // A second round keeps what the first one kept, but for hours and days that have moved up.
        const more = choosePruned(nodes, { last: asked.last + 1, hourly: asked.hourly, daily: asked.daily });
        expect(more.every((id) => pruned.includes(id))).toBe(true);
      }),
    );
  });
});
