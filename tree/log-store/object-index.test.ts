import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ObjectId, parseObjectId } from '../content/object-id.ts';
import { type Location, ObjectIndex } from './object-index.ts';

/** Ids whose first bytes are alike, so that they share slots. */
function idOf(n: number): ObjectId {
  return parseObjectId((n % 4).toString(16).padStart(8, '0') + n.toString(16).padStart(56, 'f'));
}

describe('ObjectIndex', () => {
  test('behaves like a Map, whatever is set and deleted', () => {
    const step = fc.record({ id: fc.nat({ max: 30 }), at: fc.maxSafeNat(), set: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const index = new ObjectIndex();
        const model = new Map<ObjectId, Location>();
        for (const { id: n, at, set } of steps) {
          const id = idOf(n);
          const location = { at, length: n, checksum: 0xffff_ffff - n };
          if (!set) {
            expect(index.delete(id)).toBe(model.delete(id));
            continue;
          }
          index.set(id, location);
          model.set(id, location);
        }
        expect(index.size).toBe(model.size);
        expect(new Map(index.entries())).toEqual(model);
        for (let n = 0; n <= 31; n++) expect(index.get(idOf(n))).toEqual(model.get(idOf(n)));
      }),
    );
  });

  test('grows past its first size', () => {
    const index = new ObjectIndex();
    const ids = Array.from({ length: 5_000 }, (_, n) =>
      parseObjectId(n.toString(16).padStart(64, '0').split('').reverse().join('')),
    );
    for (const [n, id] of ids.entries()) index.set(id, { at: n * 2 ** 33, length: n, checksum: n });
    expect(index.size).toBe(5_000);
    for (const [n, id] of ids.entries())
      expect(index.get(id)).toEqual({ at: n * 2 ** 33, length: n, checksum: n });
  });
});
