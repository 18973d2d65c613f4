import { type IncomingMessage, request as nodeRequest } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import { makeShellFolder, openShellBridge } from '../../test/fixtures/shell-bridge.ts';
import { serveMcp } from './serve-mcp.ts';

/** Of control characters, each of which is six bytes in JSON: more than what the kernel holds for a connection. */
const fileBytes = 2_000_000;

vi.mock('../../protocol/limits.ts', async (original) => {
  const { limits } = await original<typeof import('../../protocol/limits.ts')>();
  const budgets = { mcpAnswersBytes: 80_000_000, mcpAnswersOfAccountBytes: 40_000_000 };
  return { limits: { ...limits, httpStalledReaderMs: 500, ...budgets } };
});

const stack = new AsyncDisposableStack();
let bridge: RunningBridge;
let writer: string;

beforeAll(async () => {
  const { folder } = stack.use(await makeShellFolder());
  bridge = stack.use(
    await openShellBridge({ folder, mcp: (options) => serveMcp({ ...options, version: '1' }) }),
  );
  writer = bridge.host.tokens.create({ name: 'writer', scope: 'all' }).token;
  await call(writer, 'sandbox_create', { name: 'default' });
  await call(writer, 'sandbox_exec', { command: `head -c ${fileBytes} /dev/zero | tr '\\0' '\\1' > large` });
});
afterAll(() => stack.disposeAsync());

let ids = 0;

/** The answer to a call, of which nothing is read yet. */
function post(token: string, name: string, args: object): Promise<IncomingMessage> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name, arguments: args, _meta: meta };
  const message = { jsonrpc: '2.0', id: ids++, method: 'tools/call', params };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  nodeRequest(new URL('/mcp', bridge.url), { method: 'POST', headers }, resolve)
    .once('error', reject)
    .end(JSON.stringify(message));
  return promise;
}

async function call(token: string, name: string, args: object): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of await post(token, name, args)) parts.push(part);
  return Buffer.concat(parts).toString();
}

const readsLarge = { path: '/home/user/large', lengthBytes: fileBytes };

test('H-8 S-6 answers that are not read fill the share of their account and no more, and break off after a while', async () => {
  const { token } = bridge.host.tokens.create({ name: 'reader', scope: 'all', access: 'read' });
  const broken: string[] = [];
  const unread = Array.from({ length: 12 }, () =>
    post(token, 'sandbox_fs_read', readsLarge).then(
      (answer) => {
        answer.once('error', () => broken.push('broken'));
        if (answer.statusCode !== 200) broken.push('refused');
      },
      () => broken.push('broken'),
    ),
  );
  await Promise.all(unread);
  await expect.poll(() => broken.length).toBeGreaterThan(0);
  const { stdout } = JSON.parse(
    (await call(writer, 'sandbox_exec', { command: 'echo on' })).replace(/^[^{]*/, ''),
  ).result.structuredContent;
  expect(stdout).toBe('on\n');
  // Only when those have broken off there is room for one of this size.
  await expect
    .poll(async () => (await call(token, 'sandbox_fs_read', readsLarge)).length)
    .toBeGreaterThan(fileBytes);
});
