import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { NetworkLog } from '../../protocol/network-log.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const log: NetworkLog = {
  flows: [
    { ...{ id: 4, type: 'question', startedAtMs: 1, name: 'a.test', verdict: 'denied', why: 'so' } },
    {
      ...{ id: 5, type: 'connection', startedAtMs: 2, address: '1.1.1.1', port: 443, verdict: 'allowed' },
      ...{ sentBytes: 4, receivedBytes: 5, durationMs: 6 },
    },
  ],
  forgotten: 3,
};

test('O-8 tells what a sandbox that is open did in the network, under both names, to who may look at it', async () => {
  await (await there.request('/v1/sandboxes/box-1/files/list?path=/etc')).body?.cancel();
  vi.spyOn(there.backend.sandbox('box-1').network, 'log').mockResolvedValue(log);
  for (const path of ['/v1/sandboxes/box-1/network', '/v1/jails/box-1/network/log']) {
    const answer = await there.request(path, { token: testTokens.lookAtOne });
    expect([answer.status, await answer.json()]).toEqual([200, { items: log.flows, forgotten: 3 }]);
  }
});

test('O-8 starts none to say that it did nothing, and knows no other', async () => {
  const closed = await there.request('/v1/sandboxes/box-2/network');
  expect([closed.status, await closed.json()]).toEqual([200, { items: [], forgotten: 0 }]);
  expect(there.backend.opened).toEqual([]);
  const answers = [
    await there.request('/v1/sandboxes/box-9/network'),
    await there.request('/v1/sandboxes/box-2/network', { token: testTokens.one }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});

test('S-8 a list of what a sandbox reaches comes to its host, but for one that is empty or too long', async () => {
  const create = vi.spyOn(there.backend, 'create');
  const post = (allow: readonly string[]) =>
    there.request('/v1/sandboxes', { method: 'POST', json: { network: 'full', allow } });
  const allow = ['pypi.org', '*.debian.org:443', '203.0.113.7:22'];
  expect((await post(allow)).status).toBe(201);
  expect(create.mock.calls.map(([asked]) => asked.allow)).toEqual([allow]);
  for (const wrong of [[], Array<string>(65).fill('a.test'), ['a'.repeat(256)]])
    expect((await post(wrong)).status).toBe(400);
  expect(create).toHaveBeenCalledTimes(1);
});
