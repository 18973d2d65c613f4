import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { closeCode, firstLine, fragments, frame, rawSocket } from '../http/raw-socket.ts';
import { readSse } from '../http/read-sse.ts';
import { SocketClient, upgradeStatus } from '../http/socket-client.ts';
import { openTestBridge, type TestBridge, testTokens } from '../http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const protocols = ['coppice.v1', `coppice.token.${testTokens.all}`];

describe('B2-41 what a sandbox says is data', () => {
  const nasty = 'a\n{"level":30,"msg":"forged"}\r\ndata: x\u2028\u0000\u001b]52;c;x\u0007';

  test('one record of the log is one line, whatever the path', async () => {
    await there.request(`/v1/sandboxes/box-1/tags/${encodeURIComponent(nasty)}`, { method: 'DELETE' });
    await there.request(`/${encodeURIComponent(nasty)}`);
    // Every line was parsed as it came: a forged one would be a record of its own.
    expect(there.log.filter(({ msg }) => msg === 'forged')).toEqual([]);
    expect(there.log.filter(({ msg }) => msg === 'request').map(({ status }) => status)).toEqual([400, 404]);
  });

  test('one event is one event', async () => {
    await there.request('/v1/sandboxes/box-1/start', { method: 'POST' });
    const events = readSse(await there.request('/v1/sandboxes/box-1/events'));
    const error = { code: 'machine-failed' as const, message: nasty, details: { path: nasty } };
    there.backend.sandbox('box-1').emit({ type: 'machine-failed', error });
    there.backend.sandbox('box-1').emit({ type: 'ready' });
    expect(await events.next()).toMatchObject({ event: 'machine-failed', data: { error } });
    expect(await events.next()).toMatchObject({ event: 'ready' });
    await events.cancel();
  });

  test('bodies that aim at prototypes change none', async () => {
    there.backend.onOpen = (sandbox) => {
      sandbox.onExec = (process) => process.end();
    };
    const headers = { 'content-type': 'application/json' };
    const run = (body: string) =>
      there.request('/v1/sandboxes/box-1/commands', { method: 'POST', body, headers });
    expect((await run('{"command":"x","__proto__":{"polluted":1}}')).status).toBe(400);
    await run('{"command":"x","envs":{"__proto__":{"polluted":1},"A":"b"}}');
    const { envs } = there.backend.sandbox('box-1').runs[0]?.request ?? {};
    expect([envs, Object.keys(envs ?? {})]).toEqual([{ A: 'b' }, ['A']]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('B2-36 secrets', () => {
  test('no token is in the log, in metrics, in an answer or in what a sandbox sees', async () => {
    await using bridge = await openTestBridge();
    const { token } = bridge.tokens.create({ name: 'owner', scope: 'all' });
    const answers = [
      await bridge.request('/v1/sandboxes', { token }),
      await bridge.request('/v1/sandboxes', { token: `${token}wrong` }),
      await bridge.request('/v1/sandboxes/box-1/start', { token, method: 'POST' }),
      await bridge.request('/metrics', { token }),
    ];
    const client = new SocketClient(`${bridge.bridge.url}/v1/sandboxes/box-1/terminal`, {
      protocols: ['coppice.v1', `coppice.token.${token}`],
    });
    await client.open();
    await client.next();
    expect(client.socket.protocol).toBe('coppice.v1');
    client.socket.terminate();
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const seen = [...texts, ...bridge.log, bridge.backend.sandbox('box-1').runs.map((each) => each.request)];
    expect(JSON.stringify(seen)).not.toContain(token);
  });

  test('what failed inside stays in the log', async () => {
    there.backend.list = async () => {
      throw new TypeError('cannot read /root/secret');
    };
    const answer = await there.request('/v1/sandboxes');
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(there.log.some(({ message }) => message === 'cannot read /root/secret')).toBe(true);
  });
});

describe('B2-48 bounds of sockets', () => {
  test('ten thousand headers are refused, for requests and for upgrades', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `X-${index}: y\r\n`).join('');
    const start = 'GET /v1/connect HTTP/1.1\r\nHost: 127.0.0.1\r\n';
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    for (const text of [`${start}${many}\r\n`, `${start}${upgrade}${many}\r\n`]) {
      expect(await firstLine(there.bridge.url, text)).toBe('HTTP/1.1 431 Request Header Fields Too Large');
    }
  });

  test('an upgrade that is none of WebSocket is refused', async () => {
    const head = `GET /v1/connect HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${testTokens.all}\r\n`;
    const asked = [
      'Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 1\r\n\r\n',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n',
    ];
    for (const each of asked)
      expect(await firstLine(there.bridge.url, head + each)).toMatch(/^HTTP\/1\.1 4\d\d /);
    const terminal = head.replace('/v1/connect', '/v1/sandboxes/box-1/terminal');
    for (const each of asked)
      expect(await firstLine(there.bridge.url, terminal + each)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(there.backend.sandbox('box-1').runs).toEqual([]);
  });

  test.each(['//', '//:1', '/\\', '/\\[', '/v1/connect?//'])(
    'a page without a token that asks for %s is refused, and the bridge goes on',
    async (target) => {
      const head = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n`;
      const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n';
      expect(await firstLine(there.bridge.url, head + upgrade)).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect((await there.request('/health')).status).toBe(200);
    },
  );

  test.each(['/\\[', '//[', '/v1/sandboxes/%5B/terminal'])(
    'a client with a token that asks for a socket at %s is told what is wrong with it',
    async (target) => {
      const head = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${testTokens.all}\r\n`;
      const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n';
      expect(await firstLine(there.bridge.url, head + upgrade)).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(there.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    },
  );

  test('one token cannot take the sockets of all, and gets them back when its own close', async () => {
    const own = ['coppice.v1', `coppice.token.${testTokens.one}`];
    const url = `${there.bridge.url}/v1/connect`;
    const open = () => new SocketClient(url, { protocols: own });
    const clients = await Promise.all(Array.from({ length: limits.socketsOfToken }, () => open().open()));
    expect(await upgradeStatus(url, { protocols: own })).toBe(409);
    expect(await upgradeStatus(url, { protocols })).toBe(101);
    const [first] = clients;
    first?.socket.close();
    await first?.closed;
    while ((await upgradeStatus(url, { protocols: own })) !== 101) await there.request('/health');
    for (const { socket } of clients) socket.terminate();
  });

  test('compression is not offered, even to who asks for it', async () => {
    const { socket } = new SocketClient(`${there.bridge.url}/v1/connect`, {
      protocols,
      headers: { 'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits' },
    });
    await once(socket, 'open');
    expect(socket.extensions).toBe('');
    socket.terminate();
  });

  test.each([
    ['a compressed frame', () => frame({ first: 0xc2, length: 4 }), 1002],
    ['a frame of 1 GiB', () => frame({ first: 0x82, length: 2 ** 30, body: 0 }), 1009],
    ['a frame of 8 EiB', () => Buffer.concat([Buffer.from([0x82, 0xff]), Buffer.alloc(8, 0x7f)]), 1009],
    ['a frame that is not masked', () => Buffer.from([0x82, 0x01, 0x61]), 1002],
    ['an unknown opcode', () => frame({ first: 0x83, length: 0 }), 1002],
    ['a long ping', () => frame({ first: 0x89, length: 126 }), 1002],
    ['text that is no UTF-8', () => frame({ first: 0x81, length: 2, fill: 0xff }), 1007],
    ['fragments without end', () => Buffer.concat(fragments(limits.socketFragments + 1, 0)), 1008],
    ['a message of many fragments that is too large', () => Buffer.concat(fragments(40, 65_536)), 1009],
  ])('%s closes the socket', async (_, bytes, code) => {
    const raw = await rawSocket(`${there.bridge.url}/v1/sandboxes/box-1/terminal`, testTokens.all);
    raw.write(bytes());
    expect(await closeCode(raw)).toBe(code);
  });

  test('a flood of pings ends the socket', async () => {
    const raw = await rawSocket(`${there.bridge.url}/v1/connect`, testTokens.all);
    const gone = new Promise((resolve) => raw.once('close', resolve));
    raw.on('error', () => {});
    raw.resume();
    raw.write(Buffer.concat(Array.from({ length: 1_000 }, () => frame({ first: 0x89, length: 125 }))));
    await gone;
    expect(there.sockets[0]?.socket.readyState).toBe(3);
  });

  test('input that the shell does not take is held back at the client', async () => {
    const client = new SocketClient(`${there.bridge.url}/v1/sandboxes/box-1/terminal`, { protocols });
    await client.open();
    await client.next();
    const process = await there.backend.sandbox('box-1').started(1);
    const taken = Promise.withResolvers<void>();
    let bytes = 0;
    process.write = async (piece) => {
      bytes += piece.length;
      await taken.promise;
    };
    const piece = Buffer.alloc(65_536);
    for (let count = 0; count < 400; count++) client.socket.send(piece);
    let last = -1;
    for (let same = 0; same < 10; last = client.socket.bufferedAmount) {
      await there.request('/health');
      same = client.socket.bufferedAmount === last ? same + 1 : 0;
    }
    expect(client.socket.bufferedAmount).toBeGreaterThan(10_000_000);
    expect(bytes).toBe(piece.length);
    taken.resolve();
    while (bytes < 400 * piece.length) await there.request('/health');
    expect(bytes).toBe(400 * piece.length);
    client.socket.terminate();
  });
});

describe('S-6 bounds of requests', () => {
  test('a body of JSON that is too large, of another type, of no length or broken is refused', async () => {
    const post = (init: RequestInit) =>
      there.request('/v1/sandboxes', { method: 'POST', ...init }).then(({ status }) => status);
    const headers = { 'content-type': 'application/json' };
    expect(await post({ headers, body: `"${'x'.repeat(limits.httpBodyBytes)}"` })).toBe(413);
    expect(await post({ body: 'name=x' })).toBe(400);
    // Nothing is no body, whatever its type is said to be.
    expect(await post({ body: '', headers: { 'content-type': 'text/plain' } })).toBe(201);
    expect(await post({ body: new URLSearchParams({ name: 'x' }) })).toBe(400);
    const stream = new Blob(['{}']).stream();
    expect(await post({ headers, body: stream, duplex: 'half' } as RequestInit)).toBe(400);
    expect(await post({ headers, body: '{"name":' })).toBe(400);
    expect(await post({ headers, body: '['.repeat(100_000) })).toBe(400);
    expect(await post({ headers, body: '[]' })).toBe(400);
  });

  test('too many requests of an address, of a token, and with wrong tokens are refused for a while', async () => {
    const few = { perSecond: 0.5, burst: 3 };
    const plenty = { perSecond: 1e6, burst: 1e6 };
    const ask = async (
      rates: Partial<Record<'address' | 'token' | 'refused', typeof few>>,
      token: string,
    ) => {
      const rated = { address: plenty, token: plenty, refused: plenty, ...rates };
      await using bridge = await openTestBridge({ rates: rated });
      const seen: number[] = [];
      for (let count = 0; count < 4; count++) {
        seen.push((await bridge.request('/v1/sandboxes', { token })).status);
      }
      const last = await bridge.request('/v1/sandboxes', { token });
      const right = await bridge.request('/v1/sandboxes', { token: testTokens.one });
      return [...seen, last.headers.get('retry-after'), right.status];
    };
    expect(await ask({ address: few }, testTokens.all)).toEqual([200, 200, 200, 429, '2', 429]);
    expect(await ask({ token: few }, testTokens.all)).toEqual([200, 200, 200, 429, '2', 200]);
    expect(await ask({ refused: few }, 'wrong')).toEqual([401, 401, 401, 429, '2', 200]);
  });

  test('a rate holds for sockets too', async () => {
    const few = { perSecond: 0.1, burst: 1 };
    const plenty = { perSecond: 1e6, burst: 1e6 };
    await using bridge = await openTestBridge({ rates: { address: few, token: plenty, refused: plenty } });
    const url = `${bridge.bridge.url}/v1/connect`;
    expect([await upgradeStatus(url, { protocols }), await upgradeStatus(url, { protocols })]).toEqual([
      101, 429,
    ]);
  });
});
