import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const init = ['1', '0', 'root', 'S', '10', '4096', '1', '/init'];

test('O-8 lists what runs in a sandbox that is open, under both names', async () => {
  await (await there.request('/v1/sandboxes/box-1/files/list?path=/etc')).body?.cancel();
  there.backend.sandbox('box-1').onExec = async (process) => {
    await process.say(`${init.join('\0')}\0`);
    await process.end();
  };
  const items = [
    {
      ...{ pid: 1, parentPid: 0, user: 'root', command: ['/init'], state: 'sleeping' },
      ...{ cpuMs: 10, residentBytes: 4_096 },
    },
  ];
  for (const path of ['/v1/sandboxes/box-1/processes', '/v1/jails/box-1/processes']) {
    expect((await there.request(path, { token: testTokens.lookAtOne })).status).toBe(403);
    const answer = await there.request(path, { token: testTokens.one });
    expect([answer.status, await answer.json()]).toEqual([200, { items, isComplete: true }]);
  }
});

test('O-8 starts none to say that nothing runs in it, and knows no other', async () => {
  const closed = await there.request('/v1/sandboxes/box-2/processes');
  expect([closed.status, await closed.json()]).toEqual([200, { items: [], isComplete: true }]);
  expect(there.backend.opened).toEqual([]);
  const answers = [
    await there.request('/v1/sandboxes/box-9/processes'),
    await there.request('/v1/sandboxes/box-2/processes', { token: testTokens.one }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
});
