import { expect, test } from 'vitest';
import { PortableDisposableStack } from './async-disposable-stack.ts';

test('O-11 the package lets go of resources on Node 22 as Node 24 does: the last first, also after a failure', async () => {
  const order = async (Stack: typeof AsyncDisposableStack | typeof PortableDisposableStack) => {
    const gone: string[] = [];
    const stack = new Stack();
    stack.use({ [Symbol.asyncDispose]: async () => void gone.push('first') });
    stack.defer(() => {
      throw new Error('second fails');
    });
    stack.use({ [Symbol.dispose]: () => void gone.push('third') });
    const owned = stack.move();
    expect(stack.disposed).toBe(true);
    await expect(owned.disposeAsync()).rejects.toThrow('second fails');
    await owned.disposeAsync();
    return gone;
  };
  expect(await order(PortableDisposableStack)).toEqual(await order(AsyncDisposableStack));
});
