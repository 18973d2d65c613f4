import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PendingRequests } from './pending-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a request times out once its time has passed, not counting how long the machine was held', async () => {
  const requests = new PendingRequests();
  let error: { code: string } | undefined;
  vi.advanceTimersByTime(5_000);
  requests.wait(1, 'ping init', { timeoutMs: 1_000 }).catch((cause) => {
    error = cause;
  });
  vi.advanceTimersByTime(600);
  for (let round = 0; round < 3; round++) {
    requests.hold();
    await vi.advanceTimersByTimeAsync(20_000);
    requests.goOn();
  }
  await vi.advanceTimersByTimeAsync(399);
  expect(error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(error?.code).toBe('timeout');
});

test('an answer that comes while the machine is held, or after it, counts', async () => {
  const requests = new PendingRequests();
  const answer = requests.wait(1, 'ping init', { timeoutMs: 1_000 });
  requests.hold();
  await vi.advanceTimersByTimeAsync(60_000);
  requests.goOn();
  requests.settle(1, { type: 'ok', id: 1 });
  expect(await answer).toMatchObject({ type: 'ok' });
});
