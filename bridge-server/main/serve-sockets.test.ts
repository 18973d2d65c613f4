import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { limits } from '../../protocol/limits.ts';
import { encodeGreeting } from '../../protocol/wire/handshake.ts';
import { WireSessions } from '../../protocol/wire/wire-sessions.ts';
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
