import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewToken } from '../../protocol/api-token.ts';
import { limits } from '../../protocol/limits.ts';
import { SocketClient } from '../../test/http/socket-client.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge({ tokenRecheckMs: 5 });
});
afterEach(() => there[Symbol.asyncDispose]());

const one = { sandboxes: ['box-1'] };
const both = { sandboxes: ['box-1', 'box-2'] };

async function ask(body: unknown, token: string = testTokens.all): Promise<Response> {
  return there.request('/v1/tokens', { method: 'POST', json: body, token });
}

async function make(body: unknown, token?: string): Promise<NewToken> {
  const answer = await ask(body, token);
  expect(answer.status).toBe(201);
  return answer.json();
}

const namesSeenBy = async (token: string) => {
  const { items } = await (await there.request('/v1/tokens', { token })).json();
  return items.map(({ name }: { name: string }) => name);
};
const revoke = async (id: string, token: string = testTokens.all) =>
  (await there.request(`/v1/tokens/${id}`, { method: 'DELETE', token })).status;
const terminal = async (token: string) => {
  const protocols = ['coppice.v1', `coppice.token.${token}`];
  const client = new SocketClient(`${there.bridge.url}/v1/sandboxes/box-1/terminal`, { protocols });
  await client.open();
  await client.next();
  return client;
};

describe('C-3 tokens', () => {
  test('are made with a token, listed without their texts, and revoked', async () => {
    const before = Date.now();
    const { token, ...info } = await make({ name: 'page', scope: both, access: 'write' });
    expect(info).toMatchObject({ name: 'page', scope: both, access: 'write' });
    const leftMs = Number(info.expiresAtMs) - before;
    expect(leftMs).toBeGreaterThanOrEqual(limits.tokenTtlMs.usual);
    expect(leftMs).toBeLessThan(limits.tokenTtlMs.usual + 60_000);
    const seen = await (await there.request('/v1/sandboxes', { token })).json();
    expect(seen.items.map(({ id }: { id: string }) => id)).toEqual(both.sandboxes);
    const list = await (await there.request('/v1/tokens')).text();
    expect(list).toContain(info.id);
    expect(list).not.toContain('cpc_');
    expect(await revoke(info.id)).toBe(204);
    expect((await there.request('/v1/sandboxes', { token })).status).toBe(401);
    expect(await revoke(info.id)).toBe(404);
  });

  test('come in pages', async () => {
    const first = await (await there.request('/v1/tokens?limit=3')).json();
    const second = await (await there.request(`/v1/tokens?limit=3&cursor=${first.next}`)).json();
    expect([first.items.length, second.items.length, 'next' in second]).toEqual([3, 2, false]);
  });

  test.each([
    ['all sandboxes from one', testTokens.one, { scope: 'all', access: 'read' }, 403],
    ['another sandbox', testTokens.one, { scope: both, access: 'read' }, 404],
    ['a sandbox that is not there', testTokens.one, { scope: { sandboxes: ['box-9'] }, access: 'read' }, 404],
    ['writing from reading', testTokens.lookAtAll, { scope: one, access: 'write' }, 403],
    ['no sandbox', testTokens.all, { scope: { sandboxes: [] }, access: 'read' }, 400],
    ['another access', testTokens.all, { scope: 'all', access: 'root' }, 400],
    ['no access', testTokens.all, { scope: 'all' }, 400],
    ['a long time', testTokens.all, { scope: 'all', access: 'read', ttlMs: limits.tokenTtlMs.max + 1 }, 400],
    ['a short time', testTokens.all, { scope: 'all', access: 'read', ttlMs: 0 }, 400],
    ['its own', testTokens.one, { scope: one, access: 'write' }, 201],
    ['less', testTokens.lookAtAll, { scope: one, access: 'read' }, 201],
  ])('S-6 one for %s is no more than its maker', async (_, maker, body, status) => {
    expect((await ask({ name: 'weaker', ...body }, maker)).status).toBe(status);
  });

  test('S-6 one does not outlive its maker, by time or by revocation', async () => {
    const parent = await make({ name: 'parent', scope: one, access: 'write', ttlMs: 60_000 });
    const child = await make({ name: 'child', scope: one, access: 'read', ttlMs: 3_600_000 }, parent.token);
    expect(child).toMatchObject({ expiresAtMs: parent.expiresAtMs, madeBy: parent.id });
    const grandchild = await make({ name: 'grandchild', scope: one, access: 'read' }, child.token);
    expect(await revoke(parent.id)).toBe(204);
    for (const { token } of [child, grandchild]) {
      expect((await there.request('/v1/sandboxes', { token })).status).toBe(401);
    }
  });

  test('S-6 one that is not for all sees itself and those that it made, and revokes no other', async () => {
    const { id } = await make({ name: 'mine', scope: one, access: 'read' }, testTokens.one);
    expect(await namesSeenBy(testTokens.one)).toEqual(['one', 'mine']);
    const all = there.tokens.list().find(({ name }) => name === 'all');
    expect(await revoke(all?.id ?? '', testTokens.one)).toBe(404);
    expect(await revoke(all?.id ?? '', testTokens.lookAtAll)).toBe(403);
    expect(await revoke(id, testTokens.one)).toBe(204);
    const self = there.tokens.check(testTokens.lookAtOne);
    expect(await revoke(self?.id ?? '', testTokens.lookAtOne)).toBe(204);
    expect((await there.request('/v1/sandboxes', { token: testTokens.lookAtOne })).status).toBe(401);
  });

  test('S-6 one for a sandbox and all its descendants are so many at most', async () => {
    const body = { name: 'many', scope: one, access: 'write' };
    let maker: string = testTokens.one;
    for (let count = 1; count < limits.tokensOfAccount; count++) {
      const { token } = there.tokens.create({ ...draftOf(body), madeBy: there.tokens.check(maker) });
      maker = token;
    }
    expect((await ask(body, maker)).status).toBe(413);
    expect((await ask(body, testTokens.one)).status).toBe(413);
    expect((await ask(body, testTokens.two)).status).toBe(404);
    expect((await ask(body, testTokens.all)).status).toBe(201);
  });
});

describe('S-6 what is open on behalf of a token', () => {
  test('a terminal says why, closes and is hung up when the token is revoked', async () => {
    const { id, token } = await make({ name: 'short', scope: one, access: 'write' });
    const [client, other] = [await terminal(token), await terminal(testTokens.one)];
    expect(await revoke(id)).toBe(204);
    expect(await client.next()).toMatchObject({ type: 'error', code: 'unauthenticated' });
    expect(await client.closed).toBe(1008);
    other.socket.send(Buffer.from('still here'));
    expect(await other.next()).toBe('still here');
    other.socket.terminate();
  });

  test('a terminal closes when the token is revoked by another process, or expires', async () => {
    const { id, token } = there.tokens.create({ name: 'elsewhere', scope: one });
    const late = there.tokens.create({ name: 'late', scope: one, expiresAtMs: Date.now() + 1_000 });
    const clients = [await terminal(token), await terminal(late.token)];
    there.tokens.revoke(id);
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([1008, 1008]);
  });

  test('a command and a stream of events break off', async () => {
    const { id, token } = await make({ name: 'short', scope: one, access: 'write' });
    const events = await there.request('/v1/sandboxes/box-1/events', { token });
    const command = there.request('/v1/sandboxes/box-1/commands', {
      method: 'POST',
      json: { command: 'sleep 1000' },
      token,
    });
    const process = await there.backend.sandbox('box-1').started(1);
    expect(await revoke(id)).toBe(204);
    await expect(command).rejects.toThrow();
    await expect(events.text()).rejects.toThrow();
    while (process.asked.length === 0) await there.request('/health');
    expect(process.asked).toEqual(['kill SIGKILL']);
  });
});

function draftOf({ name, scope }: { name: string; scope: typeof one }) {
  return { name, scope, access: 'write' as const };
}
