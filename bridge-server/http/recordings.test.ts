import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRecording } from '../../recording/read/read-recording.ts';
import { makeShellFolder, openShellBridge } from '../../test/fixtures/shell-bridge.ts';
import type { RunningBridge } from '../main/run-bridge.ts';

let stack: AsyncDisposableStack;
let bridge: RunningBridge;
let token: string;
let id: string;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const { folder } = stack.use(await makeShellFolder());
  bridge = stack.use(await openShellBridge({ folder, process: 'ours' }));
  token = bridge.host.tokens.create({ name: 'test', scope: 'all' }).token;
  id = (await (await ask('POST', '', { name: 'here' })).json()).id;
});
afterAll(() => stack.disposeAsync());

function ask(method: string, path: string, body?: object, as = token): Promise<Response> {
  return fetch(`${bridge.url}/v1/sandboxes${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function shownIn(
  answer: Response,
): Promise<{ shown: string; end: number | undefined; damage: string | undefined }> {
  const stream = await readRecording(answer.body as unknown as AsyncIterable<Uint8Array>);
  const read: { shown: string; end: number | undefined } = { shown: '', end: undefined };
  for await (const { event } of stream.events()) {
    if (event.type === 'output') read.shown += event.data;
    if (event.type === 'end') read.end = event.exitCode;
  }
  return { ...read, damage: stream.damage };
}

test('P-1 C-3 a session is a file that is read while it goes on, until it is ended', async () => {
  const answer = await ask('POST', `/${id}/recording`, { gzip: true, title: 'over REST' });
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  const reading = shownIn(answer);
  expect((await ask('POST', `/${id}/recording`, {})).status).toBe(409);
  await ask('POST', `/${id}/commands`, { command: 'echo from a client' });
  const ended = await ask('DELETE', `/${id}/recording?exitCode=3`);
  expect(await ended.json()).toMatchObject({ snapshots: expect.any(Number), redacted: 0 });
  expect(await reading).toEqual({
    shown: expect.stringContaining('from a client\r\n'),
    end: 3,
    damage: undefined,
  });
  expect((await ask('DELETE', `/${id}/recording`)).status).toBe(404);
});

test('P-1 S-4 what others do in terminals is not for a token that may only read files', async () => {
  const { token: reader } = bridge.host.tokens.create({ name: 'reader', scope: 'all', access: 'read' });
  expect((await ask('POST', `/${id}/recording`, {}, reader)).status).toBe(403);
  expect((await ask('DELETE', `/${id}/recording`, undefined, reader)).status).toBe(403);
});

test('P-1 H-8 a client that goes away ends its recording, and another may begin', async () => {
  const answer = await ask('POST', `/${id}/recording`, { name: 'left' });
  await answer.body?.cancel();
  await expect.poll(async () => (await ask('POST', `/${id}/recording`, { name: 'left' })).status).toBe(200);
  await ask('DELETE', `/${id}/recording?name=left`);
});
