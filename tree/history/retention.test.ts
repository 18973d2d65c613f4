import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { defaultRetention, planRetention, type RetentionNode } from './retention.ts';
import type { SnapshotId } from './snapshot-record.ts';

const minuteMs = 60_000;
const nowMs = 1_700_000_000_000;
const idOf = (n: number) => sampleObject(n, 1 + (n % 50)).id as SnapshotId;

/** One line: `count` snapshots, `everyMs` apart, the last one now; the first and the last are pinned. */
function line(count: number, everyMs: number): RetentionNode[] {
  return Array.from({ length: count }, (_, n) => ({
    id: idOf(n),
    parents: n === 0 ? [] : [idOf(n - 1)],
    takenAtMs: nowMs - (count - 1 - n) * everyMs,
    pinned: n === 0 || n === count - 1,
  }));
}

function kept(nodes: readonly RetentionNode[], policy = defaultRetention): RetentionNode[] {
  const forget = new Set(planRetention(nodes, policy));
  return nodes.filter(({ id }) => !forget.has(id));
}

describe('planRetention', () => {
  test('R-10 keeps all of the last half hour and thins out what is older', () => {
    const stays = kept(line(1_200, 10_000));
    const ages = stays.map(({ takenAtMs }) => (nowMs - takenAtMs) / minuteMs);
    expect(ages.filter((age) => age <= 30)).toHaveLength(181);
    const older = ages.filter((age) => age > 30 && age <= 180).length;
    expect(older).toBeGreaterThanOrEqual(149);
    expect(older).toBeLessThanOrEqual(152);
    expect(ages.filter((age) => age > 180).length).toBeLessThanOrEqual(4);
  });

  test('R-10 the plan is stable: what it keeps, it keeps when asked again', () => {
    const once = line(1_200, 10_000);
    const stays = kept(once);
    const ids = new Set(stays.map(({ id }) => id));
    let last: SnapshotId[] = [];
    const again = stays.map((node) => {
      const relinked = { ...node, parents: last };
      last = [node.id];
      return relinked;
    });
    expect(planRetention(again)).toEqual([]);
    expect(ids.size).toBe(stays.length);
  });

  test.each([
    ['a year of pause, or a clock that jumps forward,', 365 * 24 * 60 * minuteMs],
    ['a clock that jumps back', -24 * 60 * minuteMs],
  ])('R-10 %s makes no snapshot of before it old', (_what, byMs) => {
    const nodes = line(150, 10_000);
    const moved = nodes.map((node, n) => (n < 118 ? node : { ...node, takenAtMs: node.takenAtMs + byMs }));
    expect(planRetention(moved)).toEqual([]);
  });

  test('R-10 what a pause follows becomes sparse as what comes after it grows', () => {
    const yearMs = 365 * 24 * 60 * minuteMs;
    const nodes = line(1_200, 10_000).map((node, n) =>
      n < 300 ? { ...node, takenAtMs: node.takenAtMs - yearMs } : node,
    );
    const stays = new Set(kept(nodes));
    const before = nodes.slice(0, 300).filter((node) => stays.has(node));
    // They are 155 minutes old and older: 25 minutes of them at one a minute, the others at one in ten.
    expect(before.length).toBeGreaterThanOrEqual(27);
    expect(before.length).toBeLessThanOrEqual(31);
  });

  test('R-10 never forgets pinned ones, tips and forks of branches, in any history', () => {
    const arbitrary = fc.array(
      fc.record({ parent: fc.nat(), pinned: fc.boolean(), gapMs: fc.nat({ max: 40 * minuteMs }) }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(arbitrary, (steps) => {
        let takenAtMs = nowMs - 60 * 40 * minuteMs;
        const nodes = steps.map(({ parent, pinned, gapMs }, n): RetentionNode => {
          takenAtMs += gapMs;
          return {
            id: idOf(n),
            parents: n === 0 ? [] : [idOf(parent % n)],
            takenAtMs,
            pinned: pinned || n === 0,
          };
        });
        const children = (id: SnapshotId) => nodes.filter(({ parents }) => parents.includes(id)).length;
        for (const id of planRetention(nodes)) {
          expect(nodes.find((node) => node.id === id)?.pinned).toBe(false);
          expect(children(id)).toBe(1);
        }
      }),
    );
  });

  test('R-10 past the bound the oldest automatic ones go, tips of branches too, pinned ones never', () => {
    const nodes = line(50, 1_000).map((node) => ({ ...node, parents: [] }));
    const stays = kept(nodes, { ...defaultRetention, automaticSnapshots: 10 });
    expect(stays).toHaveLength(12);
    expect(stays[0]?.id).toBe(idOf(0));
    expect(stays.slice(1)).toEqual(nodes.slice(-11));
  });
});
