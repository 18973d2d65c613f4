import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { GuestClock } from './guest-clock.ts';

/** How much the guest's clock is ahead of the host's right after it was set, ms. */
let ahead: number[];
/** How long each message takes to the guest. */
let delaysMs: number[];

const init = {
  async setClock(epochNs: bigint): Promise<void> {
    vi.advanceTimersByTime(delaysMs.shift() ?? 1);
    ahead.push(Number(epochNs / 1_000_000n) - Date.now());
  },
};

beforeEach(() => {
  vi.useFakeTimers({ now: 1e12 });
  ahead = [];
  delaysMs = [];
});

afterEach(() => void vi.useRealTimers());

test('H-7 a guest that is told the time late is told it again', async () => {
  using clock = new GuestClock(init);
  delaysMs = [300, 40, 2];
  await clock.set();
  expect(ahead).toEqual([-290, -30, 8]);
});

test('H-7 one that is late each time is told it a few times', async () => {
  using clock = new GuestClock(init);
  delaysMs = Array.from({ length: 100 }, () => 40);
  await clock.set();
  expect(ahead).toHaveLength(limits.clockAttempts);
});

test('H-7 a guest follows when the host has slept, or its clock is put right, and not otherwise', async () => {
  using clock = new GuestClock(init);
  await clock.set();
  vi.advanceTimersByTime(3_600_000);
  expect(ahead).toHaveLength(1);
  vi.setSystemTime(Date.now() + 7_200_000);
  vi.advanceTimersByTime(limits.clockLookMs);
  expect(ahead).toEqual([9, 9]);
  vi.setSystemTime(Date.now() - 1_000);
  vi.advanceTimersByTime(limits.clockLookMs);
  expect(ahead).toHaveLength(3);
});

test('H-8 a clock that is let go of is not followed', async () => {
  {
    using clock = new GuestClock(init);
    await clock.set();
  }
  vi.setSystemTime(Date.now() + 7_200_000);
  vi.advanceTimersByTime(3_600_000);
  expect(ahead).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});
