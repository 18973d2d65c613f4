import { expect, test } from 'vitest';
import { assertRenumbering, renumber } from './renumbering.ts';

test('a client is told the numbers that it knows, and no number twice', () => {
  const renumbered = renumber([
    { ino: 1, told: 1 },
    { ino: 70, told: 40 },
    { ino: 40, told: 41 },
    { ino: 90, told: 60 },
  ]);
  const told = new Map(renumbered);
  expect([70, 40, 90].map((ino) => told.get(ino))).toEqual([40, 41, 60]);
  expect(told.has(1)).toBe(false);
  expect(new Set([told.get(41), told.get(60)])).toEqual(new Set([70, 90]));
  expect(() => assertRenumbering(renumbered)).not.toThrow();
});

test('H-9 a stored renumbering that tells one number twice, or one that another inode keeps, is refused', () => {
  expect(() => assertRenumbering([[5, 7]])).toThrow(RangeError);
  expect(() =>
    assertRenumbering([
      [5, 7],
      [7, 5],
      [5, 5],
    ]),
  ).toThrow(RangeError);
});
