import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../errors.ts';
import { AccessKeeper } from './access-keeper.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refused = new SandboxError('unauthenticated', 'The access has ended');

/** A keeper of an access that ends in 1.5 s, and what it has asked its source for. */
function keep() {
  const asked: PromiseWithResolvers<void>[] = [];
  const next = () => {
    const ask = Promise.withResolvers<void>();
    asked.push(ask);
    return ask.promise;
  };
  const onOther = vi.fn();
  const prolong = () => Promise.reject(refused);
  const keeper = new AccessKeeper({ source: { next }, prolong, onOther });
  keeper.note({ endsInMs: 1_500, isRenewable: false });
  return { keeper, asked, onOther };
}

test('S-6 an access that was replaced once it was refused is not replaced again by an attempt that was to come', async () => {
  const { keeper, asked, onOther } = keep();
  await vi.advanceTimersByTimeAsync(1_200);
  asked[0]?.reject(new Error('the server that makes them is away'));
  await vi.advanceTimersByTimeAsync(300);
  const replaced = keeper.replace(refused);
  asked[1]?.resolve();
  await replaced;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked.length).toBe(2);
  expect(onOther).not.toHaveBeenCalled();
  keeper.close();
});

test('S-6 an attempt to renew leaves a session alone that is waiting for another access', async () => {
  const { keeper, asked, onOther } = keep();
  const replaced = keeper.replace(refused);
  await vi.advanceTimersByTimeAsync(1_300);
  asked[0]?.resolve();
  await replaced;
  expect(asked.length).toBe(1);
  expect(onOther).not.toHaveBeenCalled();
  keeper.close();
});

test('S-6 an access is replaced before it ends, and the next one in its turn', async () => {
  const { keeper, asked, onOther } = keep();
  for (const count of [1, 2]) {
    await vi.advanceTimersByTimeAsync(1_200);
    asked.at(-1)?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([asked.length, onOther.mock.calls.length]).toEqual([count, count]);
    keeper.note({ endsInMs: 1_500, isRenewable: false });
  }
  keeper.close();
});
