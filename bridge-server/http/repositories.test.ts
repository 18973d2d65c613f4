import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { readSse } from '../../test/http/read-sse.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
  await there.request('/v1/sandboxes/box-1/start', { method: 'POST' });
});
afterEach(() => there[Symbol.asyncDispose]());

const directory = '/home/user/project';
const home = '/v1/sandboxes/box-1/git';
const post = (path: string, json: object, token: string = testTokens.all) =>
  there.request(`${home}/${path}`, { method: 'POST', json, token });
const get = (path: string, token: string = testTokens.all) =>
  there.request(`${home}/${path}directory=${encodeURIComponent(directory)}`, { token });
const scripted = () => there.backend.sandbox('box-1').git;

test('I-3 C-3 what a repository is asked goes to its sandbox, and its answer comes back', async () => {
  const author = { name: 'Ada', email: 'ada@example.org' };
  const answers = [
    await get('status?'),
    await get('diff?staged=true&'),
    await get('log?ref=main&most=5&'),
    await get('branches?'),
    await post('add', { directory }),
    await post('unstage', { directory, paths: ['a'] }),
    await post('commit', { directory, message: 'm', author }),
    await post('checkout', { directory, ref: 'x', create: true }),
    await post('merge', { directory, ref: 'x' }),
    await post('fetch', { directory }),
    await post('pull', { directory, author }),
    await post('push', { directory, force: true }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    ...[200, 200, 200, 200, 204, 204],
    ...[200, 200, 200, 200, 200, 200],
  ]);
  expect(scripted().asked).toEqual([
    ['status', { directory }],
    ['diff', { directory, staged: true }],
    ['log', { directory, ref: 'main', most: 5 }],
    ['branches', { directory }],
    ['add', { directory }],
    ['unstage', { directory, paths: ['a'] }],
    ['commit', { directory, message: 'm', author }],
    ['checkout', { directory, ref: 'x', create: true }],
    ['merge', { directory, ref: 'x' }],
    ['fetch', { directory }],
    ['pull', { directory, author }],
    ['push', { directory, force: true }],
  ]);
  expect(await answers[0]?.json()).toMatchObject({ branch: 'main', files: [{ path: 'a', staged: 'added' }] });
  expect(await answers[3]?.json()).toMatchObject({ upstream: { ahead: 1, behind: 2 } });
  expect(await answers[10]?.json()).toMatchObject({ kind: 'fast-forward' });
});

test('I-3 C-3 a clone tells how far it is, then what it made or why not', async () => {
  const url = 'https://git.example.org/a.git';
  const asked = Promise.withResolvers<void>();
  scripted().onExchange = async (tell) => {
    tell('Receiving objects: 1/2');
    await asked.promise;
  };
  const answer = await post('clone', { directory, url, depth: 1, stream: true });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const events = readSse(answer);
  expect(await events.next()).toEqual({ event: 'progress', data: { text: 'Receiving objects: 1/2' } });
  asked.resolve();
  expect(await events.next()).toMatchObject({ event: 'result', data: { branch: 'main' } });
  expect(await events.next()).toBeUndefined();
  expect(scripted().asked).toEqual([['clone', { directory, url, depth: 1 }]]);
  scripted().onExchange = async () => {
    throw new SandboxError('not-found', 'Cannot clone it');
  };
  const failing = readSse(await post('clone', { directory, url, stream: true }));
  expect(await failing.next()).toMatchObject({ event: 'error', data: { error: { code: 'not-found' } } });
  expect((await post('clone', { directory, url })).status).toBe(404);
});

test.each([true, false])('I-3 H-8 an exchange whose client goes away ends (streamed: %s)', async (stream) => {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  scripted().onExchange = (_tell, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        ended.resolve();
        reject(new SandboxError('aborted', 'Given up'));
      });
      begun.resolve();
    });
  const leave = new AbortController();
  const fetching = fetch(`${there.bridge.url}${home}/fetch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testTokens.all}`, 'content-type': 'application/json' },
    body: JSON.stringify({ directory, stream }),
    signal: leave.signal,
  });
  fetching.catch(() => undefined);
  await begun.promise;
  if (stream) await fetching;
  leave.abort();
  await ended.promise;
});

test('I-3 S-6 credentials go to git, and into no record of the bridge', async () => {
  const credentials = { origin: 'https://git.example.org', username: 'ada', password: 'a-secret-of-ada' };
  scripted().onExchange = async () => {
    throw new SandboxError('forbidden', 'Cannot push');
  };
  const refused = await post('push', { directory, credentials });
  expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining('a-secret')]);
  scripted().onExchange = async () => {};
  await post('push', { directory, credentials });
  expect(scripted().asked).toEqual([['push', { directory, credentials }]]);
  const wrong = await post('push', { directory, credentials: { ...credentials, password: ['a-secret'] } });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.not.stringContaining('a-secret')]);
  expect(JSON.stringify(there.log)).not.toContain('a-secret');
});

test('S-6 a token that may only look reads the log and the branches, and nothing that could run a program', async () => {
  const looks = testTokens.lookAtOne;
  const answers = [
    await get('log?', looks),
    await get('branches?', looks),
    await get('status?', looks),
    await get('diff?', looks),
    await post('add', { directory }, looks),
    await post('pull', { directory }, looks),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403, 403, 403]);
  expect((await get('log?', testTokens.two)).status).toBe(404);
});

test.each<[what: string, path: string, body: object]>([
  ['no directory', 'add', {}],
  ['a directory that climbs', 'add', { directory: '/a/../b' }],
  ['a field that there is not', 'commit', { directory, message: 'm', amend: true }],
  ['a depth that is none', 'clone', { directory, url: 'https://a/b', depth: 0 }],
  ['a proxy', 'fetch', { directory, proxy: { url: 'http://a', token: 'b' } }],
])('H-9 %s is refused', async (_what, path, body) => {
  const answer = await post(path, body);
  expect([answer.status, (await answer.json()).error.code]).toEqual([400, 'invalid-argument']);
  expect(scripted().asked).toEqual([]);
});
