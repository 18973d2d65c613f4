import { afterEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { quietSandbox } from '../../../test/fixtures/connection-double.ts';
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

test('H-8 a connection that is gone for good is a failure, once a lost shell makes it known', async () => {
  let isGone = false;
  const quiet = quietSandbox('one');
  const get = async () => {
    if (isGone) throw new SandboxError('connection-lost', 'The connection is lost');
    return quiet.info.get();
  };
  const connection = { ...quiet, info: { ...quiet.info, get } };
  const model = new SandboxModel(async () => connection);
  model.noteShell();
  await model.start({ readOnly: true });
  await model.noteLoss();
  expect(model.state.phase).toBe('ready');
  isGone = true;
  await model.noteLoss();
  expect(model.state).toMatchObject({ phase: 'failed', failure: { code: 'connection-lost' } });
  await model.close();
});

test('B-9 a pane whose token ended opens again once its host has another, and says so while it has none', async () => {
  let valid = 'old';
  const openWith = (token: string): SandboxConnection => {
    const get = async () => {
      if (token !== valid) throw new SandboxError('unauthenticated', 'The token is no longer valid');
      return { id: 'one' } as SandboxInfo;
    };
    const counting = quietSandbox('one');
    return { ...counting, info: { ...counting.info, get } };
  };
  const asked: string[] = [];
  let given = 'old';
  const unused = () => Promise.reject(new Error('It is opened below'));
  const host = { name: 'host', url: 'http://127.0.0.1:7070', connect: unused, images: unused };
  const model = new SandboxModel(
    async () => {
      asked.push(given);
      if (given !== valid) throw new SandboxError('unauthenticated', 'The token is not valid');
      return openWith(given);
    },
    { host },
  );
  model.noteShell();
  await model.start({ readOnly: true });
  valid = 'new';
  await model.noteLoss();
  expect(asked).toEqual(['old', 'old']);
  expect(model.state).toMatchObject({ phase: 'failed', failure: { code: 'unauthenticated' } });
  given = 'new';
  await model.start({ readOnly: true });
  [valid, given] = ['newer', 'newer'];
  await model.noteLoss();
  expect(asked).toEqual(['old', 'old', 'new', 'newer']);
  expect(model.state).toMatchObject({ phase: 'ready', failure: undefined, readOnly: true });
  await model.close();
});

afterEach(() => void vi.useRealTimers());

test('the history is read once a shell has shown something, or has had its time', async () => {
  vi.useFakeTimers();
  let asked = 0;
  const model = new SandboxModel(async () => quietSandbox('one', { onHistory: () => asked++ }));
  for (const untilRead of [() => model.noteShell(), () => vi.advanceTimersByTime(limits.shellHeadStartMs)]) {
    asked = 0;
    const started = model.start();
    await vi.advanceTimersByTimeAsync(limits.shellHeadStartMs - 1);
    expect(asked).toBe(0);
    untilRead();
    await started;
    expect(asked).toBe(1);
    expect(model.state).toMatchObject({ phase: 'ready', history: { snapshots: [] } });
  }
});

test('a start that fails says why, and a later one may succeed', async () => {
  let attempts = 0;
  const connection = quietSandbox('one');
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
