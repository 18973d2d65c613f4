import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { limits } from '../../protocol/limits.ts';
import { encodeGreeting, type Hello, type Welcome } from '../../protocol/wire/handshake.ts';
import { WireSessions } from '../../protocol/wire/server/wire-sessions.ts';
import { type BridgeConnection, connect } from '../../sdk/connect.ts';
import { SocketClient } from '../../test/http/socket-client.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';
import { serveSockets } from './serve-sockets.ts';

let sessions: WireSessions;
let sockets: WebSocket[];
let holds: number;
let there: TestBridge;
beforeEach(async () => {
  sessions = new WireSessions();
  [sockets, holds] = [[], 0];
  const serve = serveSockets(sessions);
  there = await openTestBridge({
    tokenRecheckMs: 20,
    onSocket: (socket, owner, served) => {
      sockets.push(socket);
      const whileValid: typeof served.whileValid = (onEnd) => {
        holds++;
        const letGo = served.whileValid(onEnd);
        return () => {
          holds--;
          letGo();
        };
      };
      serve(socket, owner, { ...served, whileValid });
    },
  });
});
afterEach(async () => {
  await sessions[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});

const open = (token: string): Promise<BridgeConnection> => connect({ url: there.bridge.url, token });

/** A client that says HELLO and is gone without a word. */
async function beginAndVanish(token: string): Promise<void> {
  const protocols = ['coppice.v1', `coppice.token.${token}`];
  const client = await new SocketClient(`${there.bridge.url}/v1/connect`, { protocols }).open();
  client.socket.send(encodeGreeting('hello', { versions: [1], capabilities: ['resume'] }));
  await client.next();
  client.socket.terminate();
}

const one = { sandboxes: ['box-1'] };

/** Opens a socket, and says nothing yet. */
function openSocket(token: string): Promise<SocketClient> {
  const protocols = ['coppice.v1', `coppice.token.${token}`];
  return new SocketClient(`${there.bridge.url}/v1/connect`, { protocols }).open();
}

/** What a server answers to the first words of a client: the JSON of a WELCOME, or of a BYE. */
async function greet(client: SocketClient, hello: Partial<Hello> = {}) {
  client.socket.send(encodeGreeting('hello', { versions: [1], capabilities: ['resume'], ...hello }));
  const answer = String(await client.next());
  return JSON.parse(answer.slice(answer.indexOf('{')));
}

const sessionOf = ({ session: { id, secret } }: Welcome) => ({ id, secret, received: 0 });

test('H-8 a session holds on to its token once, however often its client comes back, and lets go when it ends', async () => {
  const bridge = await open(testTokens.all);
  for (let left = 5; left > 0; left--) {
    sockets.at(-1)?.terminate();
    await bridge.list();
  }
  expect([sockets.length, sessions.size, holds]).toEqual([6, 1, 1]);
  await bridge[Symbol.asyncDispose]();
  await expect.poll(() => [sessions.size, holds]).toEqual([0, 0]);
});

test('S-6 a session that went on over another socket ends with its token all the same', async () => {
  const { id, token } = there.tokens.create({ name: 'short', scope: 'all' });
  await using bridge = await open(token);
  sockets.at(-1)?.terminate();
  await bridge.list();
  await (await there.request(`/v1/tokens/${id}`, { method: 'DELETE' })).body?.cancel();
  await expect(bridge.list()).rejects.toMatchObject({ code: 'unauthenticated' });
  expect([sessions.size, holds]).toEqual([0, 0]);
});

test('S-6 sessions that wait for their client count to the account of its token, and leave room to others', async () => {
  await using maker = await open(testTokens.one);
  const child = await maker.tokens.create({ name: 'child', scope: one, access: 'read' });
  const kin = [testTokens.one, child.token];
  for (let at = 1; at < limits.wireSessionsOfAccount; at++) await beginAndVanish(kin[at % 2] ?? '');
  expect(sessions.size).toBe(limits.wireSessionsOfAccount);
  for (const token of kin) {
    await expect(open(token)).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining(`${limits.wireSessionsOfAccount} sessions`),
    });
  }
  await using other = await open(testTokens.two);
  expect((await other.list()).map(({ id }) => id)).toEqual(['box-2']);
});

test('S-6 WP-15 a session whose secret was stolen goes on for no token of another account, or of less', async () => {
  await using maker = await open(testTokens.all);
  const page = await maker.tokens.create({ name: 'page', scope: one, access: 'write' });
  const resume = sessionOf(await greet(await openSocket(page.token), { renews: true }));
  const stranger = there.tokens.create({ name: 'stranger', scope: 'all' });
  const less = await maker.tokens.create({ name: 'less', scope: one, access: 'read' });
  const elsewhere = await maker.tokens.create({
    name: 'other',
    scope: { sandboxes: ['box-2'] },
    access: 'write',
  });
  for (const { token } of [stranger, less, elsewhere]) {
    expect(await greet(await openSocket(token), { resume })).toMatchObject({ code: 'forbidden' });
  }
  const sibling = await maker.tokens.create({ name: 'next', scope: 'all', access: 'write' });
  const guess = { ...resume, secret: 'f'.repeat(32) };
  expect(await greet(await openSocket(sibling.token), { resume: guess })).toMatchObject({
    code: 'not-found',
  });
  expect(await greet(await openSocket(sibling.token), { resume })).toMatchObject({
    session: { id: resume.id },
  });
});

test('S-6 a session that goes on with a token for more gains nothing by it', async () => {
  await using maker = await open(testTokens.all);
  const page = { name: 'page', access: 'write' } as const;
  const first = await maker.tokens.create({ ...page, scope: one, ttlMs: 1_000 });
  const second = await maker.tokens.create({ ...page, scope: 'all' });
  const given = [first.token];
  const token = () => given.shift() ?? second.token;
  await using bridge = await connect({ url: there.bridge.url, token });
  const isOver = () => there.tokens.validUntilMs(first.id) === undefined;
  await expect.poll(isOver).toBe(true);
  expect((await bridge.list()).map(({ id }) => id)).toEqual(['box-1']);
  await expect(bridge.create({}, () => {})).rejects.toMatchObject({ code: 'forbidden' });
  expect((await bridge.tokens.list()).length).toBeGreaterThan(2);
});

test('S-6 a socket that was opened before its token ended, and speaks after it, goes on with nothing', async () => {
  await using maker = await open(testTokens.all);
  const page = await maker.tokens.create({ name: 'page', scope: one, access: 'write', ttlMs: 1_000 });
  const first = await openSocket(page.token);
  const spare = await openSocket(page.token);
  const resume = sessionOf(await greet(first, { renews: true }));
  expect(String(await first.next())).toContain('unauthenticated');
  expect(await greet(spare, { resume, renews: true })).toMatchObject({ code: 'unauthenticated' });
  const next = await maker.tokens.create({ name: 'next', scope: one, access: 'write' });
  expect(await greet(await openSocket(next.token), { resume })).toMatchObject({ session: { id: resume.id } });
});
