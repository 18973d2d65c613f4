import { expect, test } from 'vitest';
import { HandleScope } from './handle-scope.ts';

test('H-8 what a client has open ends before the sandbox does, and its subscriptions after that, also where closing fails', async () => {
  for (const outcome of ['closed', 'failed']) {
    const order: string[] = [];
    const scope = new HandleScope();
    await scope.holdSubscription(() => void order.push('subscription'));
    await scope.hold(() => void order.push('process'));
    const forget = await scope.hold(() => void order.push('forgotten'));
    forget();
    const closing = scope.close(async () => {
      order.push(outcome);
      if (outcome === 'failed') throw new Error('full');
    });
    await (outcome === 'failed' ? expect(closing).rejects.toThrow('full') : closing);
    expect(order).toEqual(['process', outcome, 'subscription']);
    await expect(scope.holdSubscription(() => void order.push('late'))).rejects.toMatchObject({
      code: 'connection-lost',
    });
    expect(order.at(-1)).toBe('late');
  }
});
