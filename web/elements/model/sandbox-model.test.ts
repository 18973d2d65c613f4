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

test('H-8 a sandbox that opens after its pane was closed is closed too', async () => {
  const asked = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<SandboxConnection>();
  let closed = 0;
  const model = new SandboxModel(() => {
    asked.resolve();
    return opening.promise;
  });
  const started = model.start();
  await asked.promise;
  await model.close();
  opening.resolve({ close: async () => void closed++ } as Partial<SandboxConnection> as SandboxConnection);
  await started;
  expect(closed).toBe(1);
  expect(model.connection).toBeUndefined();
  expect(model.state).toMatchObject({ phase: 'closed', failure: undefined });
});

test('H-8 a pane that is closed as soon as it starts opens nothing', async () => {
  let opened = 0;
  const model = new SandboxModel(async () => {
    opened++;
    throw new SandboxError('internal', 'not wanted');
  });
  const started = model.start();
  await model.close();
  await started;
  expect(opened).toBe(0);
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
