import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

test('O-8 reports on a sandbox under both names, also to a token that may only look', async () => {
  for (const path of ['/v1/sandboxes/box-1/report', '/v1/jails/box-1/report']) {
    const answer = await there.request(path, { token: testTokens.lookAtOne });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        info: expect.objectContaining({ id: 'box-1', state: 'open' }),
        takenAtMs: expect.any(Number),
        openedAtMs: 0,
        history: { snapshots: expect.any(Number) },
        commands: { started: 0, running: 0, last: [] },
      },
    ]);
  }
  const answers = [
    await there.request('/v1/sandboxes/box-9/report'),
    await there.request('/v1/sandboxes/box-2/report', { token: testTokens.one }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});

test('O-8 S-6 a report says why captures are stopped, and nothing of what is internal', async () => {
  await (await there.request('/v1/sandboxes/box-1/report')).body?.cancel();
  const sandbox = there.backend.sandbox('box-1');
  const told = async () => {
    const answer = await there.request('/v1/sandboxes/box-1/report');
    return ((await answer.json()) as { capturesStopped: unknown }).capturesStopped;
  };
  sandbox.stopped = { code: 'storage-full', message: 'full', details: {} };
  expect(await told()).toMatchObject({ code: 'storage-full', message: 'full', remedy: expect.any(String) });
  sandbox.stopped = { code: 'internal', message: 'secret', details: { path: '/secret' } };
  expect(JSON.stringify(await told())).not.toContain('secret');
});
