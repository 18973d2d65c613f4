import { expect, test } from 'vitest';
import { soakLive } from '../../soak/live/soak-live.ts';
import { readGuestParts } from './open-guest.ts';

/** A sample; `npm run test:long` soaks for half an hour. */
const rewinds = 12;

test('B-4 a busy machine that is rewound at random is what it was, prints what it would have, and goes on', {
  timeout: 900_000,
}, async () => {
  const found = await soakLive(await readGuestParts(), {
    rewinds,
    seed: 4,
    // So few rounds have none at the usual rate.
    forkRate: 0.1,
    steps: 32,
    deadlineMs: 180_000,
    endAfterMs: Number.POSITIVE_INFINITY,
  });
  expect(found).toEqual({
    rewinds,
    forks: expect.any(Number),
    differingBytes: 0,
    missedPages: 0,
    otherOutputs: 0,
    hangs: 0,
  });
  expect(found.forks).toBeGreaterThan(0);
});
