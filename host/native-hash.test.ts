import { expect, test } from 'vitest';
import { hashObject } from '../tree/objects/hash-object.ts';
import { hashNatively } from './native-hash.ts';

test("Node's SHA-256 makes the ids that the portable one makes (H-1, H-2)", () => {
  const contents = [0, 1, 55, 56, 64, 119, 1000, 262_144].map((length) =>
    Uint8Array.from({ length }, (_, at) => (at * 7) % 256),
  );
  // A view into a larger buffer is hashed as far as it goes.
  contents.push(Uint8Array.of(9, 8, 7, 6).subarray(1, 3));
  const portable = contents.map((bytes) => hashObject(bytes));
  hashNatively();
  expect(contents.map((bytes) => hashObject(bytes))).toEqual(portable);
});
