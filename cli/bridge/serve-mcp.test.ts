import { randomBytes } from 'node:crypto';
import { request as nodeRequest } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import type { TokenDraft } from '../../bridge-server/token-contract.ts';
import type { HttpSessionsOptions } from '../../mcp/http/http-sessions.ts';
import { mcpLimits } from '../../mcp/limits.ts';
import { limits } from '../../protocol/limits.ts';
import { makeShellFolder, openShellBridge } from '../../test/fixtures/shell-bridge.ts';
import { callingClient, type McpTestClient, testEveryTool } from '../../test/mcp/every-tool.ts';
import { serveMcp } from './serve-mcp.ts';

interface Served extends AsyncDisposable {
  readonly bridge: RunningBridge;
  readonly url: URL;
  token(draft?: Partial<TokenDraft>): { readonly token: string; readonly id: string };
}

/** A bridge of shells that speaks MCP, in a folder of its own unless it is given one. */
async function serve(
  options: Partial<HttpSessionsOptions> = {},
  { folder: given }: { readonly folder?: string } = {},
): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  const folder = given ?? stack.use(await makeShellFolder()).folder;
  const mcp = (of: Pick<HttpSessionsOptions, 'onProblem'>) => serveMcp({ ...of, version: '1.0', ...options });
  const bridge = stack.use(await openShellBridge({ folder, mcp, process: 'ours' }));
  const owned = stack.move();
  return {
    bridge,
    url: new URL('/mcp', bridge.url),
    token: (draft) => bridge.host.tokens.create({ name: 'test', scope: 'all', ...draft }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface ConnectOptions {
  readonly token: string;
  /** The revision of 2026-07-28, which has no sessions. */
  readonly isModern?: boolean;
  readonly sandbox?: string;
}

async function connect({ url }: Pick<Served, 'url'>, options: ConnectOptions): Promise<McpTestClient> {
  const { token, isModern = false, sandbox } = options;
  const client = new Client(
    { name: 'test', version: '1' },
    isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );
  const at = new URL(url);
  if (sandbox !== undefined) at.searchParams.set('sandbox', sandbox);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(at, { requestInit }));
  return callingClient(client);
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

interface PostOptions {
  readonly token?: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function post(url: URL, message: unknown, { token, session, headers = {} }: PostOptions): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
}

async function begin(url: URL, token: string): Promise<string> {
  const answer = await post(url, initialize, { token });
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

describe.each([
  ['2025, with a session', false],
  ['2026-07-28, without', true],
])('a client of %s', (_, isModern) => {
  testEveryTool(async () => {
    await using stack = new AsyncDisposableStack();
    const served = stack.use(await serve());
    const opened = stack.use(await connect(served, { token: served.token().token, isModern }));
    const owned = stack.move();
    return { ...opened, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  });
});

describe('over HTTP', () => {
  let served: Served;
  let all: string;
  /** The ids of two sandboxes. */
  let usual: string;
  let other: string;
  beforeAll(async () => {
    served = await serve();
    all = served.token().token;
    usual = await makeSandbox('default');
    other = await makeSandbox('other');
  });
  afterAll(() => served[Symbol.asyncDispose]());

  async function makeSandbox(name: string): Promise<string> {
    await using opened = await connect(served, { token: all });
    return String((await opened.call('sandbox_create', { name })).value.id);
  }

  test('what a client makes stays when it ends, and is what tools mean that name none', async () => {
    await using again = await connect(served, { token: all });
    expect((await again.call('sandbox_inspect')).value.id).toBe(usual);
    expect((await again.call('sandbox_exec', { command: 'echo here' })).value.stdout).toBe('here\n');
    expect((await again.call('sandbox_remove', { sandbox: 'default' })).text).toMatch(/^forbidden/);
  });

  test('the address may say which sandbox tools mean', async () => {
    await using opened = await connect(served, { token: all, sandbox: 'other' });
    expect((await opened.call('sandbox_inspect')).value.id).toBe(other);
  });

  test.each([false, true])('list changes are told as they happen (2026: %s)', async (isModern) => {
    const told = Promise.withResolvers<void>();
    await using opened = await connect(served, { token: all, isModern });
    const { client } = opened;
    client.setNotificationHandler('notifications/resources/list_changed', () => told.resolve());
    if (isModern) await client.listen({ resourcesListChanged: true });
    await opened.call('sandbox_create', { name: 'new' });
    await told.promise;
  });

  test('S-6 a token for reading has only tools that read, and changes nothing', async () => {
    await using opened = await connect(served, { token: served.token({ access: 'read' }).token });
    const { tools } = await opened.client.listTools();
    expect(tools.length).toBeGreaterThan(5);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    await expect(opened.call('sandbox_exec', { command: 'true' })).rejects.toThrow();
    expect((await opened.call('snapshot_list')).value.head).toEqual(expect.any(String));
  });

  test('S-6 a token for one sandbox means that one, sees no other and makes none', async () => {
    await using opened = await connect(served, {
      token: served.token({ scope: { sandboxes: [other] } }).token,
    });
    expect((await opened.call('sandbox_inspect')).value.id).toBe(other);
    expect((await opened.call('sandbox_list')).value.count).toBe(1);
    expect((await opened.call('sandbox_exec', { sandbox: 'default', command: 'true' })).text).toMatch(
      /^not-found/,
    );
    expect((await opened.call('sandbox_create', { name: 'more' })).text).toMatch(/^forbidden/);
    expect((await opened.call('sandbox_fork')).text).toMatch(/^forbidden/);
    const read = opened.client.readResource({ uri: 'coppice://default/history' });
    await expect(read).rejects.toThrow();
  });

  test('S-6 a missing or wrong token is refused before anything else', async () => {
    expect((await post(served.url, initialize, {})).status).toBe(401);
    expect((await post(served.url, initialize, { token: 'cpc_wrong' })).status).toBe(401);
  });

  test('S-6 a session is not there for another token', async () => {
    const session = await begin(served.url, all);
    const other = served.token().token;
    expect((await post(served.url, ping, { token: other, session })).status).toBe(404);
    const headers = { authorization: `Bearer ${other}`, 'mcp-session-id': session };
    expect((await fetch(served.url, { method: 'DELETE', headers })).status).toBe(404);
    expect((await post(served.url, ping, { token: all, session })).status).toBe(200);
  });

  test('S-6 a revoked token ends its sessions, with what was running in them', async () => {
    const weaker = served.token();
    const opened = await connect(served, { token: weaker.token });
    const running = opened.call('sandbox_exec', {
      command: 'while true; do date +%s%N > beat; sleep 0.02; done',
    });
    running.catch(() => undefined);
    await using watching = await connect(served, { token: all });
    await expect
      .poll(async () => (await watching.call('sandbox_exec', { command: 'cat beat' })).value.exitCode)
      .toBe(0);
    await fetch(new URL(`/v1/tokens/${weaker.id}`, served.url), {
      method: 'DELETE',
      headers: { authorization: `Bearer ${all}` },
    });
    expect((await post(served.url, initialize, { token: weaker.token })).status).toBe(401);
    const isStill = 'a=$(cat beat); sleep 0.2; [ "$a" = "$(cat beat)" ]';
    await expect
      .poll(async () => (await watching.call('sandbox_exec', { command: isStill })).value.exitCode)
      .toBe(0);
    await opened[Symbol.asyncDispose]();
  });

  test('B2-30 another Host or Origin is refused', async () => {
    const ofPage = await post(served.url, initialize, {
      token: all,
      headers: { origin: 'https://evil.example' },
    });
    expect(ofPage.status).toBe(403);
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.example', authorization: `Bearer ${all}` };
      const asked = nodeRequest(served.url, { method: 'POST', headers }, ({ statusCode }) =>
        resolve(statusCode),
      );
      asked.once('error', reject).end();
    });
    expect(rebound).toBe(403);
  });

  test('what is no message of a session, too large or of another type is refused, and the next is served', async () => {
    const session = await begin(served.url, all);
    const refused = async (message: unknown, options: PostOptions = {}) =>
      (await post(served.url, message, { token: all, session, ...options })).status;
    const empty = { token: all, session, headers: { 'content-type': 'text/plain' } };
    expect(await refused('no JSON')).toBe(400);
    expect(await refused({ a: 1 })).toBe(400);
    expect(await refused(ping, empty)).toBe(400);
    expect(await refused(' '.repeat(mcpLimits.messageBytes + 1))).toBe(413);
    expect(await refused(ping, { session: crypto.randomUUID() })).toBe(404);
    expect((await post(served.url, ping, { token: all })).status).toBe(400);
    expect((await fetch(served.url, { headers: { authorization: `Bearer ${all}` } })).status).toBe(400);
    // A million levels: in a batch, and in the arguments of a call.
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    expect(await refused(deep)).toBe(400);
    const call = {
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'sandbox_list', arguments: { deep: 0 } },
    };
    expect(await refused(JSON.stringify(call).replace('"deep":0', `"deep":${deep}`))).toBeLessThan(500);
    expect(await refused(Array.from({ length: 101 }, () => ping))).toBe(400);
    expect(await refused(ping)).toBe(200);
  });

  test('a file of several MiB goes in, past what other requests may have', async () => {
    await using opened = await connect(served, { token: all });
    const content = randomBytes(3_000_000).toString('base64');
    const file = { path: '/home/user/large', encoding: 'base64' };
    expect((await opened.call('sandbox_fs_write', { ...file, content })).isError).toBe(false);
    const [length, offset] = [30_000, 2_970_000];
    const end = await opened.call('sandbox_fs_read', { ...file, offsetBytes: offset, lengthBytes: length });
    expect(end.value).toMatchObject({ sizeBytes: 3_000_000, content: content.slice(-(length / 3) * 4) });
  });

  test('more calls at once than a client may have are refused one by one', async () => {
    await using opened = await connect(served, { token: all });
    const waiting = 'while [ ! -e go ]; do sleep 0.05; done';
    const calls = Array.from({ length: mcpLimits.calls + 3 }, () =>
      opened.call('sandbox_exec', { command: waiting }),
    );
    expect((await Promise.race(calls)).text).toMatch(/^busy/);
    await using watching = await connect(served, { token: all });
    await watching.call('sandbox_exec', { command: 'touch go' });
    const failed = (await Promise.all(calls)).filter(({ isError }) => isError);
    expect(failed.length).toBe(3);
  });

  test('a client that ends its session begins anew', async () => {
    const session = await begin(served.url, all);
    const headers = { authorization: `Bearer ${all}`, 'mcp-session-id': session };
    expect((await fetch(served.url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await post(served.url, ping, { token: all, session })).status).toBe(404);
    expect(await begin(served.url, all)).not.toBe(session);
  });
});

test('the document of a bridge names the three requests', async () => {
  await using served = await serve();
  const { paths } = await (await fetch(new URL('/openapi.json', served.url))).json();
  expect(Object.keys(paths['/mcp']).toSorted()).toEqual(['delete', 'get', 'post']);
});

function call(id: number, name: string, args: object): unknown {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

async function startCommand({ url }: Served, token: string, session: string): Promise<void> {
  const command = { command: 'cat' };
  const answer = await post(url, call(5, 'sandbox_exec_start', command), { token, session });
  expect(await answer.text()).toContain('process');
}

test('H-8 hosts that were killed keep nobody out: the session that is idle longest makes room', async () => {
  await using served = await serve({ sessions: 3, sessionsOfAccount: 2 });
  const { token } = served.token();
  const first = await begin(served.url, token);
  const made = await post(served.url, call(3, 'sandbox_create', { name: 'default' }), {
    token,
    session: first,
  });
  await made.text();
  await startCommand(served, token, first);
  const second = await begin(served.url, token);
  const third = await begin(served.url, token);
  const statusOf = async (session: string) => (await post(served.url, ping, { token, session })).status;
  expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([200, 404, 200]);
  // Where all accounts together have as many as may be, one of another account makes room.
  const others = [served.token().token, served.token().token];
  for (const other of others) await begin(served.url, other);
  expect([await statusOf(first), await statusOf(third)]).toEqual([200, 404]);
});

test('an account has its share of sessions with commands, and gets one back when a session ends', async () => {
  await using served = await serve({ sessionsOfAccount: 2 });
  const { token } = served.token();
  const [first, second] = [await begin(served.url, token), await begin(served.url, token)];
  const creates = call(3, 'sandbox_create', { name: 'default' });
  await (await post(served.url, creates, { token, session: first })).text();
  for (const session of [first, second]) await startCommand(served, token, session);
  const refused = await post(served.url, initialize, { token });
  expect(refused.status).toBe(409);
  expect((await refused.json()).error.message).toContain('MCP sessions');
  await fetch(served.url, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}`, 'mcp-session-id': first ?? '' },
  });
  await expect.poll(async () => (await post(served.url, initialize, { token })).status).toBe(200);
});

test('a client that vanishes loses its session after a while, and its command with it', async () => {
  await using served = await serve({ idleMs: 1_000 });
  const { token } = served.token();
  const session = await begin(served.url, token);
  const made = await post(served.url, call(3, 'sandbox_create', { name: 'default' }), { token, session });
  expect(await made.text()).toContain('default');
  const gone = new AbortController();
  const beating = 'while true; do date +%s%N > beat; sleep 0.02; done';
  const asked = fetch(served.url, {
    method: 'POST',
    signal: gone.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-session-id': session,
    },
    body: JSON.stringify(call(4, 'sandbox_exec', { command: beating })),
  });
  await asked;
  {
    await using watching = await connect(served, { token });
    await expect
      .poll(async () => (await watching.call('sandbox_exec', { command: 'cat beat' })).value.exitCode)
      .toBe(0);
  }
  gone.abort();
  await expect
    .poll(async () => (await post(served.url, ping, { token, session })).status, {
      interval: 2_000,
      timeout: 120_000,
    })
    .toBe(404);
  await using opened = await connect(served, { token });
  const isStill = 'a=$(cat beat); sleep 0.2; [ "$a" = "$(cat beat)" ]';
  await expect
    .poll(async () => (await opened.call('sandbox_exec', { command: isStill })).value.exitCode)
    .toBe(0);
});

test('H-8 after a restart of the bridge the session is not there, and a new one goes on with the files', async () => {
  await using home = await makeShellFolder();
  const first = await serve({}, home);
  const { token } = first.token();
  const session = await begin(first.url, token);
  const before = await connect(first, { token });
  await before.call('sandbox_create', { name: 'default' });
  await before.call('sandbox_exec', { command: 'echo kept > file' });
  const stoppedMs = performance.now();
  await first[Symbol.asyncDispose]();
  // An open stream of list changes does not keep it.
  expect(performance.now() - stoppedMs).toBeLessThan(limits.stopTimeoutMs);
  await before[Symbol.asyncDispose]();
  await using second = await serve({}, home);
  expect((await post(second.url, ping, { token, session })).status).toBe(404);
  await using after = await connect(second, { token });
  expect((await after.call('sandbox_exec', { command: 'cat file' })).value.stdout).toBe('kept\n');
});
