import { expect, test } from 'vitest';
import { assertDiskHolds } from './assert-disk-holds.ts';

const mib = 1_048_576;

test('O-9 H-4 a disk that could save nothing beside the image is refused, with the least that can', () => {
  expect(() => assertDiskHolds(227, { usedBytes: 219.5 * mib })).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      message:
        'Cannot make a sandbox with diskMiB 227: the files that it begins with take 220 MiB, so 228 is the least',
      details: { name: 'diskMiB', min: 228 },
    }),
  );
  expect(() => assertDiskHolds(228, { usedBytes: 219.5 * mib })).not.toThrow();
});
