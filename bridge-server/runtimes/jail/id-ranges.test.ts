import { expect, test } from 'vitest';
import { IdRanges } from './id-ranges.ts';

test('ranges of ids never overlap, are never the host’s own, and run out with a word', () => {
  const ids = new IdRanges();
  const taken = new Set<number>();
  expect(() => {
    for (;;) taken.add(ids.take());
  }).toThrow(expect.objectContaining({ code: 'limit-exceeded' }));
  expect(taken.size).toBeGreaterThan(10_000);
  for (const id of taken) expect(id % 65_536 === 0 && id >= 0x80000 && id <= 0x6fff_0000).toBe(true);
  const [first = 0] = taken;
  ids.give(first);
  expect(ids.take() % 65_536).toBe(0);
});
