import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
});
afterAll(() => stack.disposeAsync());
beforeEach(async () => {
  id = (await ask('POST', '/v1/sandboxes', { name: 'here' })).body.id;
});

/** A request whose body is JSON, or bytes, and its answer, parsed. */
async function ask(method: string, path: string, body?: object, { as = token }: { as?: string } = {}) {
  const isBytes = body instanceof Uint8Array;
  const type = isBytes ? 'application/x-tar' : 'application/json';
  const answer = await fetch(bridge.url + path, {
    method,
    headers: { authorization: `Bearer ${as}`, ...(body ? { 'content-type': type } : {}) },
    ...(body ? { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const of = (sandbox: string, path: string) => `/v1/sandboxes/${sandbox}/${path}`;

async function run(sandbox: string, command: string): Promise<string> {
  const { body } = await ask('POST', of(sandbox, 'commands'), { command });
  return body.stdout;
}

async function fork(): Promise<string> {
  await ask('POST', of(id, 'snapshots'), {});
  return (await ask('POST', of(id, 'snapshots/HEAD/fork'), {})).body.items[0].id;
}

test('C-3 what a fork has changed comes together with what was changed here', async () => {
  await run(id, 'echo base > base');
  const other = await fork();
  await run(other, 'echo theirs > theirs');
  await run(id, 'echo ours > ours');
  const { status, body } = await ask('POST', of(id, 'merge'), { sandbox: other, label: 'both' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ outcome: 'merged', settled: [], previousHead: expect.any(String) });
  expect(await run(id, 'cat base ours theirs')).toBe('base\nours\ntheirs\n');
  const { body: head } = await ask('GET', of(id, 'snapshots/HEAD'));
  expect(head).toMatchObject({ cause: { label: 'both' }, parents: [expect.any(String), expect.any(String)] });
  expect((await ask('POST', of(id, 'merge'), { snapshot: 'HEAD' })).body.outcome).toBe('up-to-date');
});

test('C-3 a conflict changes nothing and names the files, unless it is said whose are taken', async () => {
  await run(id, 'echo base > file');
  const other = await fork();
  await run(other, 'echo theirs > file');
  await run(id, 'echo ours > file');
  const refused = await ask('POST', of(id, 'merge'), { sandbox: other });
  expect(refused.status).toBe(409);
  expect(refused.body.error.details).toMatchObject({ count: 1, conflicts: [{ kind: 'content' }] });
  expect(await run(id, 'cat file')).toBe('ours\n');
  const settled = await ask('POST', of(id, 'merge'), { sandbox: other, snapshot: 'HEAD', prefer: 'theirs' });
  expect(settled.body.settled).toMatchObject([{ kind: 'content' }]);
  expect(await run(id, 'cat file')).toBe('theirs\n');
});

test('S-6 a merge needs a token that sees both sandboxes, and may write', async () => {
  const other = await fork();
  const made = (draft: object) => bridge.host.tokens.create({ name: 'weak', scope: 'all', ...draft }).token;
  const merge = async (as: string) => (await ask('POST', of(id, 'merge'), { sandbox: other }, { as })).status;
  expect(await merge(made({ scope: { sandboxes: [id] } }))).toBe(404);
  expect(await merge(made({ access: 'read' }))).toBe(403);
  expect(await merge(made({ scope: { sandboxes: [id, other] } }))).toBe(200);
  expect((await ask('POST', of(id, 'merge'), { prefer: 'ours' })).status).toBe(400);
});

test('C-3 a policy of retention is set, told, applied and taken away', async () => {
  for (const number of [1, 2, 3, 4]) {
    await run(id, `echo ${number} > file`);
    await ask('POST', of(id, 'snapshots'), { label: `${number}` });
  }
  const path = of(id, 'retention');
  expect((await ask('GET', path)).body).toEqual({});
  const policy = { last: 2, hourly: 0, daily: 0 };
  expect((await ask('PUT', path, { ...policy, weekly: 1 })).status).toBe(400);
  expect((await ask('PUT', path, policy)).status).toBe(204);
  expect((await ask('GET', path)).body).toEqual({ policy });
  const would = (await ask('POST', of(id, 'prune'), { dryRun: true, policy })).body;
  expect(would.forgotten.length).toBeGreaterThan(0);
  expect(would.freedBytes).toBe(0);
  expect((await ask('POST', of(id, 'prune'))).body.forgotten).toEqual(would.forgotten);
  const { items } = (await ask('GET', of(id, 'snapshots'))).body;
  expect(items.length).toBe(would.kept);
  expect((await ask('DELETE', path)).status).toBe(204);
  expect((await ask('GET', path)).body).toEqual({});
});

test('C-3 all files are replaced by those of an archive, and the way back is told', async () => {
  await run(id, 'echo of the archive > file');
  const headers = { authorization: `Bearer ${token}` };
  const archive = await fetch(`${bridge.url}${of(id, 'archive?at=now')}`, { headers });
  const bytes = new Uint8Array(await archive.arrayBuffer());
  await run(id, 'echo later > later; rm file');
  const { status, body } = await ask('PUT', of(id, 'restore?label=restored'), bytes);
  expect(status).toBe(200);
  expect(await run(id, 'ls; cat file')).toBe('file\nof the archive\n');
  await ask('POST', of(id, `snapshots/${body.previousHead}/checkout`), {});
  expect(await run(id, 'ls')).toBe('later\n');
  const broken = await ask('PUT', of(id, 'restore'), bytes.subarray(0, 700));
  expect([broken.status, await run(id, 'ls')]).toEqual([400, 'later\n']);
});
