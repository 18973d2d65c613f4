import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { openTestBridge, type TestBridge } from '../../test/http/test-bridge.ts';
import { testTokens } from '../../test/http/test-tokens.ts';
import { errorBody } from './error-body.ts';
import { slowJson } from './slow-json.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge({ commandBeatMs: 20 });
  await there.request('/v1/sandboxes/box-1/start', { method: 'POST' });
});
afterEach(() => there[Symbol.asyncDispose]());

const commands = '/v1/sandboxes/box-1/commands';

const run = (body: object, init: RequestInit = {}) =>
  there.request(commands, { ...init, method: 'POST', json: { command: 'make', ...body } });

const started = () => there.backend.sandbox('box-1').started(1);

/** A request for a command, whose client is gone once it has begun. Resolves to the process. */
async function runAndGo(body: object) {
  const giveUp = new AbortController();
  const answer = run(body, { signal: giveUp.signal });
  answer.then((there) => there.body?.cancel()).catch(() => undefined);
  const process = await started();
  giveUp.abort();
  await answer.catch(() => undefined);
  return process;
}

test('S-6 a command that takes long has its status before it ends, blank lines while it runs, and then its result', async () => {
  const answer = await run({});
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  const reader = answer.body?.getReader();
  const next = async () => Buffer.from((await reader?.read())?.value ?? new Uint8Array()).toString();
  let blank = '';
  while (blank.length < 2) blank += await next();
  expect(blank.trim()).toBe('');
  const process = await started();
  await process.say('done');
  await process.end({ exitCode: 3 });
  let text = '';
  for (let piece = await next(); piece !== ''; piece = await next()) text += piece;
  expect(JSON.parse(text)).toMatchObject({ exitCode: 3, stdout: 'done' });
});

test('S-6 what fails after its status is an error in the body', async () => {
  const lost = new SandboxError('connection-lost', 'The sandbox was closed');
  const source = slowJson(Promise.reject(lost), {
    everyMs: 10_000,
    onGone: () => expect.unreachable(),
  });
  const pieces = [await source.pull(), await source.pull(), await source.pull()];
  await source.close();
  expect(pieces.map((piece) => piece && Buffer.from(piece).toString())).toEqual([
    '\n',
    JSON.stringify(errorBody(lost)),
    undefined,
  ]);
});

test('H-8 a client that goes ends its command, unless it is to be kept', async () => {
  const ended = await runAndGo({});
  await expect.poll(() => ended.asked).toEqual(['kill SIGKILL']);
});

test('S-6 a command that is kept goes on when its client goes, which finds its result', async () => {
  const answer = await run({ onDisconnect: 'keep' });
  const where = answer.headers.get('location') ?? '';
  const process = await started();
  await answer.body?.cancel();
  await process.say('more');
  await process.end();
  expect(process.asked).toEqual([]);
  const { result } = await (await there.request(`${where}?waitMs=10000`)).json();
  expect(result).toMatchObject({ stdout: 'more' });
});

test('S-6 with respond-async it is answered at once with where its result will be', async () => {
  const answer = await run({}, { headers: { prefer: 'respond-async' } });
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
  const where = answer.headers.get('location') ?? '';
  expect(await answer.json()).toMatchObject({ state: 'running' });
  expect(await (await there.request(where)).json()).toMatchObject({ state: 'running' });
  const process = await started();
  await process.say('made');
  const waiting = there.request(`${where}?waitMs=10000`);
  await process.end();
  expect(await (await waiting).json()).toMatchObject({
    state: 'ended',
    result: { exitCode: 0, stdout: 'made' },
  });
  const elsewhere = where.replace('box-1', 'box-2');
  expect((await there.request(elsewhere)).status).toBe(404);
  expect((await there.request(where, { token: testTokens.lookAtOne })).status).toBe(403);
});

test('S-6 with a time to wait, a quick one is answered as ever; one that runs without its request can be ended', async () => {
  const quick = run({}, { headers: { prefer: 'wait=10, respond-async' } });
  const process = await started();
  await process.end();
  expect(await (await quick).json()).toMatchObject({ exitCode: 0 });
  const answer = await run({}, { headers: { prefer: 'respond-async' } });
  const second = await there.backend.sandbox('box-1').started(2);
  const where = answer.headers.get('location') ?? '';
  expect((await there.request(where, { method: 'DELETE' })).status).toBe(204);
  expect(second.asked).toEqual(['kill SIGKILL']);
  expect(await (await there.request(where)).json()).toMatchObject({
    state: 'failed',
    error: { code: 'aborted' },
  });
});

test('S-6 an account has only so many of them, and is told', async () => {
  const ask = () => run({}, { headers: { prefer: 'respond-async' } });
  const answers = await Promise.all(Array.from({ length: 16 }, ask));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(202));
  const refused = await ask();
  expect([refused.status, (await refused.json()).error.code]).toEqual([409, 'busy']);
});
