import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ConnectionBudget } from '../../bridge-server/http/connection-budget.ts';
import { limits } from '../../protocol/limits.ts';
import { SocketClient } from '../http/socket-client.ts';
import { openTestBridge, testTokens } from '../http/test-bridge.ts';

/** A connection that is open, and says nothing. */
async function silent(url: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const isOpen = ({ destroyed }: Socket): boolean => !destroyed;

/** Resolves when all but so many of them have closed. */
async function untilOpen(sockets: readonly Socket[], count: number): Promise<void> {
  // Only what is read shows that it has ended.
  for (const socket of sockets) socket.resume();
  while (sockets.filter(isOpen).length > count) {
    await Promise.race(sockets.filter(isOpen).map((socket) => once(socket, 'close')));
  }
}

describe('S-6 connections without a token', () => {
  test('thousands of an address keep nobody from being answered, its own next one included', async () => {
    await using there = await openTestBridge();
    const { url } = there.bridge;
    const sockets: Socket[] = [];
    for (let round = 0; round < 20; round++) {
      sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => silent(url)))));
    }
    expect((await there.request('/health', { token: null })).status).toBe(200);
    await untilOpen(sockets, limits.httpUnauthenticatedOfAddress.usual);
    for (const socket of sockets) socket.destroy();
  });

  test('the oldest of an address closes first, and none of another address or with a token', async () => {
    await using there = await openTestBridge({ connectionsOfAddress: 4 });
    const { url } = there.bridge;
    const client = new SocketClient(`${url}/v1/connect`, {
      protocols: ['coppice.v1', `coppice.token.${testTokens.one}`],
    });
    await client.open();
    const other = await silent(url, '127.0.0.2');
    const sockets: Socket[] = [];
    for (let count = 0; count < 6; count++) sockets.push(await silent(url));
    await untilOpen(sockets, 4);
    expect(sockets.map(isOpen)).toEqual([false, false, true, true, true, true]);
    expect([isOpen(other), client.socket.readyState]).toEqual([true, 1]);
    for (const socket of [...sockets, other]) socket.destroy();
    client.socket.terminate();
  });

  test('of which there are too many in all, one closes of the address that has the most', async () => {
    const server = createServer();
    new ConnectionBudget(server, { mostOfAddress: limits.httpUnauthenticatedConnections });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const few = await silent(url, '127.0.0.2');
    const many: Socket[] = [];
    while (many.length < limits.httpUnauthenticatedConnections) many.push(await silent(url));
    await untilOpen(many, limits.httpUnauthenticatedConnections - 1);
    expect([isOpen(few), many.findIndex((socket) => !isOpen(socket))]).toEqual([true, 0]);
    for (const socket of [few, ...many]) socket.destroy();
    server.close();
  });
});
