import { expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxConnection } from '../../../protocol/sandbox.ts';
import { SandboxModel } from './sandbox-model.ts';

test('H-8 closing a pane whose machine starts ends the start, and is not a failure', async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const model = new SandboxModel(
    ({ signal }) =>
      new Promise<SandboxConnection>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new SandboxError('aborted', 'over')));
        asked.resolve(signal);
      }),
  );
  const started = model.start();
  const signal = await asked.promise;
  await model.close();
  await started;
  expect(signal.aborted).toBe(true);
  expect(model.state).toMatchObject({ phase: 'closed', failure: undefined });
});

test('a start that fails says why, and a later one may succeed', async () => {
  let attempts = 0;
  const connection = {
    subscribe: async () => () => undefined,
    info: async () => ({ id: 'one' }),
    history: async () => ({ snapshots: [] }),
    storage: async () => ({ stopped: undefined }),
  } as unknown as SandboxConnection;
  const model = new SandboxModel(async () => {
    attempts++;
    if (attempts === 1) throw new SandboxError('asset-unavailable', 'no network');
    return connection;
  });
  await model.start();
  expect(model.state).toMatchObject({ phase: 'failed', failure: { code: 'asset-unavailable' } });
  await model.start();
  expect(model.state).toMatchObject({ phase: 'ready', failure: undefined });
});
