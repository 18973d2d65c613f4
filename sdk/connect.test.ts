import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { serveWire } from '../protocol/wire/server/serve-wire.ts';
import { WireSessions } from '../protocol/wire/server/wire-sessions.ts';
import { socketTransport } from '../protocol/wire/transports/socket-transport.ts';
import { ScriptedBackend } from '../test/fixtures/wire-backend.ts';
import { connect } from './connect.ts';
import { Sandbox } from './sandbox.ts';

const token = 'cpt_0123456789abcdef';

/** As much of a bridge as lets a client in. */
async function openBridge() {
  const backend = new ScriptedBackend();
  const sessions = new WireSessions();
  const requests: IncomingMessage[] = [];
  const http = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has('coppice.v1') ? 'coppice.v1' : false),
  });
  http.on('upgrade', (request, socket, head) => {
    requests.push(request);
    const offered = request.headers['sec-websocket-protocol'] ?? '';
    if (!offered.split(/, */).includes(`coppice.token.${token}`)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) =>
      serveWire(socketTransport(ws), { backend, sessions }),
    );
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    backend,
    requests,
    sockets,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await sessions[Symbol.asyncDispose]();
      for (const each of sockets.clients) each.terminate();
      http.close();
      await once(http, 'close');
    },
  };
}

describe('connect', () => {
  let bridge: Awaited<ReturnType<typeof openBridge>>;
  afterEach(() => bridge.close());

  test('Sandbox.create works with what it answers, and disposing lets go of it', async () => {
    bridge = await openBridge();
    const backend = await connect({ url: `${bridge.url}/?query#fragment`, token });
    const sandbox = await Sandbox.create({ backend, name: 'far' });
    expect(sandbox.info.runtime).toBe('jail');
    expect(await sandbox.files.read('/x', { format: 'bytes' })).toEqual(Uint8Array.of(1, 2, 3));
    await backend[Symbol.asyncDispose]();
    expect(bridge.backend.connections[0]?.isClosed).toBe(true);
    expect(bridge.requests.map(({ url, headers }) => [url, headers['sec-websocket-protocol']])).toEqual([
      ['/v1/connect', `coppice.v1, coppice.token.${token}`],
    ]);
  });

  test('a connection that is lost comes back by itself', async () => {
    bridge = await openBridge();
    await using backend = await connect({ url: bridge.url.replace('http', 'ws'), token });
    await backend.list();
    for (const each of bridge.sockets.clients) each.terminate();
    expect(await backend.list()).toHaveLength(1);
    expect(bridge.requests).toHaveLength(2);
  });

  test('a bridge that does not take the token, or is not there, is told as connection-lost', async () => {
    bridge = await openBridge();
    const { url } = bridge;
    await expect(connect({ url, token: 'wrong' })).rejects.toMatchObject({ code: 'connection-lost' });
    await expect(connect({ url: 'http://127.0.0.1:1', token })).rejects.toMatchObject({
      code: 'connection-lost',
      message: expect.not.stringContaining(token),
    });
  });

  test('what is no address or no token is refused before anything is sent', async () => {
    bridge = await openBridge();
    const { url } = bridge;
    const bad = [
      { url: 'bridge', token },
      { url: 'file:///etc/passwd', token },
      { url, token: '' },
      { url, token: 'a b' },
      { url, token: 'a,coppice.v1' },
      { url, token: 'x'.repeat(2_000) },
    ];
    const codes = await Promise.all(bad.map((each) => connect(each).catch((error) => error.code)));
    expect(codes).toEqual(bad.map(() => 'invalid-argument'));
    expect(bridge.requests).toEqual([]);
  });
});
