import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { type SocketLike, socketTransport } from '../../protocol/wire/transports/socket-transport.ts';
import { echoPort } from '../../test/fixtures/page/toy-sandbox.ts';
import { SocketClient, upgradeStatus } from '../../test/http/socket-client.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const protocols = ['coppice.v1', `coppice.token.${testTokens.all}`];
const terminal = (query = '') =>
  new SocketClient(`${there.bridge.url}/v1/sandboxes/box-1/terminal${query}`, { protocols }).open();

describe('O-8 a terminal', () => {
  test('takes bytes both ways, sizes, and says how it ended', async () => {
    const client = await terminal('?columns=100&rows=30');
    expect(client.socket.protocol).toBe('coppice.v1');
    expect(await client.next()).toEqual({ type: 'ready', pid: 7 });
    const { request, process } = there.backend.sandbox('box-1').runs[0] ?? {};
    expect(request).toMatchObject({ pty: { columns: 100, rows: 30 }, stdin: true });
    client.socket.send(Buffer.from('ls\r'));
    expect(await client.next()).toBe('ls\r');
    client.socket.send(JSON.stringify({ type: 'resize', columns: 10, rows: 5 }));
    client.socket.send(Buffer.from('x'));
    expect(await client.next()).toBe('x');
    expect(process?.asked).toEqual(['write ls\r', 'resize 10 5', 'write x']);
    await process?.end({ exitCode: 2 });
    expect(await client.next()).toEqual({ type: 'exit', exitCode: 2, reason: 'exited' });
    expect(await client.closed).toBe(1000);
    expect(process?.asked).toHaveLength(3);
  });

  test('says that it is ready before anything else, however quick the shell is', async () => {
    there.backend.onOpen = (sandbox) => {
      sandbox.onExec = (process) => process.say('$ ');
    };
    const client = await terminal();
    expect([await client.next(), await client.next()]).toEqual([{ type: 'ready', pid: 7 }, '$ ']);
    client.socket.terminate();
  });

  test('H-8 whose client goes away is hung up', async () => {
    const client = await terminal();
    await client.next();
    const process = await there.backend.sandbox('box-1').started(1);
    const asked = Promise.withResolvers<unknown>();
    process.kill = async (signal) => {
      asked.resolve(signal);
      await process.end();
    };
    client.socket.terminate();
    expect(await asked.promise).toBe('SIGHUP');
  });

  test.each([
    ['no JSON', 'x'],
    ['an unknown type', '{"type":"exec"}'],
    ['a size that is none', '{"type":"resize","columns":0,"rows":1e9}'],
  ])('S-6 %s ends it with an error', async (_, text) => {
    const client = await terminal();
    await client.next();
    client.socket.send(text);
    expect(await client.next()).toMatchObject({ type: 'error', code: 'protocol-violation' });
    expect(await client.closed).toBe(1008);
  });

  test('a client that does not read holds the shell back', async () => {
    const client = await terminal();
    await client.next();
    client.socket.pause();
    const process = await there.backend.sandbox('box-1').started(1);
    const piece = new Uint8Array(262_144).fill(0x61);
    let said = 0;
    const flood = (async () => {
      for (; said < 400; said++) await process.say(piece);
    })();
    let last = -1;
    for (let same = 0; same < 10; last = said) {
      await there.request('/health');
      same = said === last ? same + 1 : 0;
    }
    expect(said).toBeLessThan(100);
    client.socket.terminate();
    await flood;
    expect(said).toBe(400);
  });

  test('of a sandbox that is not there is refused before it opens', async () => {
    const url = `${there.bridge.url}/v1/sandboxes/box-9/terminal`;
    expect(await upgradeStatus(url, { protocols })).toBe(404);
    expect(await upgradeStatus(`${there.bridge.url}/v1/sandboxes/box-1/terminal?rows=0`, { protocols })).toBe(
      400,
    );
  });
});

describe('a connection to a port', () => {
  const connect = (port: number | string, token: string = testTokens.all) => {
    const own = ['coppice.v1', `coppice.token.${token}`];
    return new SocketClient(`${there.bridge.url}/v1/sandboxes/box-1/ports/${port}`, { protocols: own });
  };

  test('carries bytes both ways, and closes once both have said that they are done', async () => {
    const client = await connect(echoPort).open();
    client.socket.send(Buffer.from('one'));
    client.socket.send(Buffer.from('two'));
    expect([await client.next(), await client.next()]).toEqual(['one', 'two']);
    client.socket.send('{"type":"end"}');
    expect(await client.next()).toEqual({ type: 'end' });
    expect(await client.closed).toBe(1000);
    expect(there.backend.sandbox('box-1').streams).toMatchObject([{ isClosed: true }]);
  });

  test('H-8 whose client goes away is closed', async () => {
    const client = await connect(echoPort).open();
    client.socket.terminate();
    await expect.poll(() => there.backend.sandbox('box-1').streams[0]?.isClosed).toBe(true);
  });

  test('S-6 a word that is none ends it with an error', async () => {
    const client = await connect(echoPort).open();
    client.socket.send('{"type":"resize"}');
    expect(await client.next()).toMatchObject({ type: 'error', code: 'protocol-violation' });
    expect(await client.closed).toBe(1008);
  });

  test('is refused with a status where nothing listens, the port is none, or the token only reads', async () => {
    const statusOf = (port: number | string, token: string) => {
      const protocols = ['coppice.v1', `coppice.token.${token}`];
      return upgradeStatus(`${there.bridge.url}/v1/sandboxes/box-1/ports/${port}`, { protocols });
    };
    expect(await statusOf(9, testTokens.all)).toBe(404);
    expect(await statusOf(0, testTokens.all)).toBe(400);
    expect(await statusOf('x', testTokens.all)).toBe(400);
    expect(await statusOf(echoPort, testTokens.lookAtAll)).toBe(403);
  });
});

describe('a socket of the wire protocol', () => {
  test('is handed on with what its token allows', async () => {
    const own = ['coppice.v1', `coppice.token.${testTokens.one}`];
    const client = await new SocketClient(`${there.bridge.url}/v1/connect`, { protocols: own }).open();
    expect(there.sockets[0]?.owner).toMatchObject({ scope: { sandboxes: ['box-1'] }, access: 'write' });
    there.sockets[0]?.socket.send('"hello"');
    expect(await client.next()).toBe('hello');
    client.socket.terminate();
  });

  test('takes the token from the Authorization header too', async () => {
    const headers = { authorization: `Bearer ${testTokens.all}` };
    expect(await upgradeStatus(`${there.bridge.url}/v1/connect`, { headers })).toBe(101);
  });

  test('C-3 a page, which sees no status, is told in it that its token is not valid', async () => {
    const url = `${there.bridge.url}/v1/connect`;
    const headers = { origin: 'https://pages.example' };
    const wrong = ['coppice.v1', 'coppice.token.wrong'];
    const connectTransport = async () => {
      const { socket } = await new SocketClient(url, { protocols: wrong, headers }).open();
      return socketTransport(socket as unknown as SocketLike);
    };
    await expect(openWire(connectTransport)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(there.sockets).toEqual([]);
    expect(await upgradeStatus(url, { protocols: wrong })).toBe(401);
    expect(await upgradeStatus(url, { protocols: wrong, headers: { origin: 'https://other.example' } })).toBe(
      403,
    );
  });
});

test('stopping closes terminals and streams, and the process of each', async () => {
  const client = await terminal();
  await client.next();
  const events = await there.request('/v1/sandboxes/box-1/events');
  const startedMs = performance.now();
  await there.bridge[Symbol.asyncDispose]();
  expect(performance.now() - startedMs).toBeLessThan(limits.stopTimeoutMs);
  expect(await client.closed).toBe(1001);
  await events.text();
  expect((await there.backend.sandbox('box-1').started(1)).asked).toEqual(['kill SIGHUP']);
  expect(there.backend.sandbox('box-1').isClosed).toBe(true);
  await expect(there.request('/health')).rejects.toThrow();
});
