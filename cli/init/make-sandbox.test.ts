import { expect, test, vi } from 'vitest';
import { createProgress } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { Place } from '../place/place.ts';
import { makeSandbox } from './make-sandbox.ts';

test('O-11 where the one before cannot be deleted, that is told, and the new one is deleted though it does not close as it should', async () => {
  const backend = shellBackend();
  await using before = await Sandbox.create({ backend, name: 'work' });
  const place: Place = {
    ...{ type: 'folder', name: 'folder', backend },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const create = backend.create.bind(backend);
  backend.create = async (...ask) => {
    const made = await create(...ask);
    const close = async () => {
      await made.close();
      throw new SandboxError('storage-full', 'The disk is full');
    };
    return Object.assign(Object.create(made), { close });
  };
  const erase = backend.delete.bind(backend);
  vi.spyOn(backend, 'delete').mockImplementation(async (ask) => {
    if (ask.id === before.id) throw new SandboxError('busy', 'It is in use');
    await erase(ask);
  });
  const parts = { create: { name: 'work' }, replaces: [before.info], progress: createProgress() };
  const making = makeSandbox(place, { ...parts, signal: new AbortController().signal });
  // What using it at the end of a scope throws comes after it.
  await expect(making).rejects.toSatisfy((error) => {
    const { suppressed = error } = error;
    return suppressed.code === 'busy';
  });
  expect((await Sandbox.list({ backend })).map(({ id }) => id)).toEqual([before.id]);
});
