import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upgradeStatus } from '../http/socket-client.ts';
import { openTestBridge, type TestBridge, testTokens } from '../http/test-bridge.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly needsToken: boolean;
}

let there: TestBridge;
let operations: readonly Operation[];
beforeAll(async () => {
  there = await openTestBridge();
  const document = await (await there.request('/openapi.json')).json();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { security?: unknown[] }>).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path,
      needsToken: security?.length !== 0,
    })),
  );
});
afterAll(() => there[Symbol.asyncDispose]());

const snapshot = 'a'.repeat(64);
/** A path with a sandbox in it, and whatever else it needs to be looked at. */
const fill = (path: string, id: string) =>
  path.replace('{id}', id).replace('{snapshot}', snapshot).replace('{tag}', 'tag');

/** The status of a raw request, whatever its headers. */
function statusOf(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<number> {
  const { method = 'GET', headers = {}, body = '' } = options;
  const authorization = `Bearer ${testTokens.all}`;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      new URL(path, there.bridge.url),
      { method, headers: { authorization, ...headers } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const port = () => new URL(there.bridge.url).port;

describe('B2-33 DNS rebinding: whom the browser meant', () => {
  test.each([
    ['127.0.0.1', 200],
    ['localhost:1', 200],
    ['[::1]:80', 200],
    ['LOCALHOST', 200],
    ['bridge.example', 200],
    ['bridge.example:9999', 200],
    ['only.example:8443', 200],
    ['only.example', 403],
    ['only.example:8444', 403],
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['127.evil.example', 403],
    ['localhost.evil.example', 403],
    ['evil.example#127.0.0.1', 403],
    ['evil.example:127.0.0.1', 403],
    ['user@127.0.0.1', 403],
    ['127.0.0.1:80@evil.example', 403],
    ['localhost.', 403],
    ['bridge.example.', 403],
    ['xbridge.example', 403],
    ['0', 403],
    ['2130706433', 403],
    ['0x7f.1', 403],
    ['[::ffff:127.0.0.1]', 403],
    ['[::1', 403],
    ['127.0.0.1:', 403],
    [' ', 403],
  ])('Host %j is answered with %i', async (host, status) => {
    expect(await statusOf('/health', { headers: { host } })).toBe(status);
    const socket = await upgradeStatus(`${there.bridge.url}/v1/connect`, {
      headers: { host, authorization: `Bearer ${testTokens.all}` },
    });
    expect(socket).toBe(status === 200 ? 101 : 403);
  });

  // All of 127.0.0.0/8 is this machine, on Linux.
  test.each([
    ['0.0.0.0', '127.0.0.2', 200],
    ['0.0.0.0', '127.0.0.3', 403],
    ['0.0.0.0', 'evil.example', 403],
    ['::', '127.0.0.2', 200],
    ['::', '[::ffff:127.0.0.2]', 403],
  ])('a bridge that listens at %s is asked at 127.0.0.2 for %s: %i', async (host, named, status) => {
    await using everywhere = await openTestBridge({ host });
    const url = `http://127.0.0.2:${new URL(everywhere.bridge.url).port}`;
    const headers = { host: named, authorization: `Bearer ${testTokens.all}` };
    expect(await upgradeStatus(`${url}/v1/connect`, { headers })).toBe(status === 200 ? 101 : status);
  });

  test('two Hosts, and a target that names another, are refused', async () => {
    const lines = [
      'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n',
      'GET http://evil.example/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      'GET /health HTTP/1.1\r\n\r\n',
      'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    ];
    for (const text of lines) expect(await rawAnswer(text)).toMatch(/^(HTTP\/1\.1 40[03] [\s\S]*)?$/);
  });
});

describe('B2-32 B2-34 other sites', () => {
  const origins: [origin: string, isAllowed: boolean][] = [
    ['https://pages.example', true],
    ['https://evil.example', false],
    ['http://pages.example', false],
    ['https://pages.example.evil.example', false],
    ['https://pages.example:8443', false],
    ['https://PAGES.example', false],
    ['https://pages.example/', false],
    ['https://pages.example@evil.example', false],
    ['null', false],
    ['', false],
    ['file://', false],
  ];

  test.each(origins)('Origin %j is allowed: %s', async (origin, isAllowed) => {
    const headers = { origin };
    expect(await statusOf('/v1/sandboxes', { headers })).toBe(isAllowed ? 200 : 403);
    const body = '{"name":"x"}';
    const form = { origin, 'content-type': 'text/plain' };
    // Even an allowed page cannot send a form: it is not JSON.
    expect(await statusOf('/v1/sandboxes', { method: 'POST', headers: form, body })).toBe(
      isAllowed ? 400 : 403,
    );
    const authorization = `Bearer ${testTokens.all}`;
    const url = `${there.bridge.url}/v1/connect`;
    expect(await upgradeStatus(url, { headers: { origin, authorization } })).toBe(isAllowed ? 101 : 403);
  });

  test('the bridge’s own pages are no other site', async () => {
    expect(await statusOf('/v1/sandboxes', { headers: { origin: there.bridge.url } })).toBe(200);
    const host = 'bridge.example';
    expect(await statusOf('/v1/sandboxes', { headers: { host, origin: 'http://evil.example' } })).toBe(403);
  });

  test('B2-32 a socket without a token does not open, whatever cookie comes with it', async () => {
    const url = `${there.bridge.url}/v1/connect`;
    expect(await upgradeStatus(url, { headers: { cookie: `token=${testTokens.all}` } })).toBe(401);
    expect(await upgradeStatus(`${url}?token=${testTokens.all}`)).toBe(401);
    expect(await upgradeStatus(url, { protocols: ['coppice.v1', 'coppice.token.wrong'] })).toBe(401);
    expect(await upgradeStatus(url, { protocols: [`coppice.token.${testTokens.all}`] })).toBe(400);
  });

  test('B2-34 what a browser sends for another site without an Origin is refused', async () => {
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect(await statusOf('/health', { headers: image })).toBe(403);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await statusOf('/docs', { headers: link })).toBe(200);
    expect(await statusOf('/health', { headers: { 'sec-fetch-site': 'same-origin' } })).toBe(200);
  });

  test('B2-34 only an allowed origin may read answers, and is told so before it asks', async () => {
    const ask = { method: 'OPTIONS', token: null };
    const preflight = await there.request('/v1/sandboxes', {
      ...ask,
      headers: { origin: 'https://pages.example', 'access-control-request-private-network': 'true' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://pages.example',
    ]);
    expect(preflight.headers.get('access-control-allow-private-network')).toBe('true');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const own = await there.request('/health');
    expect(own.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('B2-35 who may do what, for every route of the document', () => {
  test('without a token, and with a wrong one, every route is closed', async () => {
    const open: string[] = [];
    for (const { method, path, needsToken } of operations) {
      for (const token of [null, 'wrong', 'a'.repeat(600), 'token-of-all ', '']) {
        if (token === 'token-of-all ') continue;
        const { status } = await there.request(fill(path, 'box-1'), { method, token });
        if (needsToken ? status !== 401 : status !== 200) open.push(`${method} ${path} ${status}`);
      }
    }
    expect(open).toEqual([]);
    expect(operations.length).toBeGreaterThan(40);
  });

  test('only a few routes need no token', () => {
    const open = operations.flatMap(({ path, needsToken }) => (needsToken ? [] : [path]));
    expect(open).toEqual(['/health', '/ready', '/openapi.json', '/docs']);
  });

  test('the token of one sandbox does not tell another from none', async () => {
    const differing: string[] = [];
    for (const { method, path } of operations.filter((each) => each.path.includes('{id}'))) {
      const ask = async (id: string) => {
        const answer = await there.request(fill(path, id), { method, token: testTokens.one });
        const body = (await answer.text()).replaceAll(id, 'ID');
        return `${answer.status} ${body}`;
      };
      const [other, none] = [await ask('box-2'), await ask('box-9')];
      if (!other.startsWith('404') || other !== none) differing.push(`${method} ${path}: ${other} ${none}`);
    }
    expect(differing).toEqual([]);
    expect(there.backend.opened).toEqual([]);
  });

  test('the token of one sandbox cannot reach past it', async () => {
    const as = { token: testTokens.one };
    const list = await (await there.request('/v1/sandboxes', as)).json();
    expect(list.items.map(({ id }: { id: string }) => id)).toEqual(['box-1']);
    const refused = [
      there.request('/v1/sandboxes', { ...as, method: 'POST', json: {} }),
      there.request(`/v1/sandboxes/box-1/snapshots/${snapshot}/fork`, { ...as, method: 'POST', json: {} }),
      there.request('/metrics', as),
      there.request('/v1/doctor', as),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const protocols = ['coppice.v1', `coppice.token.${testTokens.one}`];
    for (const home of ['sandboxes', 'jails']) {
      const url = (id: string) => `${there.bridge.url}/v1/${home}/${id}/terminal`;
      expect(await upgradeStatus(url('box-2'), { protocols })).toBe(404);
      expect(await upgradeStatus(url('box-1'), { protocols })).toBe(101);
    }
  });
});

describe('B2-40 paths that climb', () => {
  test.each([
    '/v1/../../../etc/passwd',
    '/v1/..%2f..%2fetc%2fpasswd',
    '/docs/..%2f..%2fetc/passwd',
    '/v1/sandboxes/..%2f..%2fetc/files',
    '/v1/sandboxes/box-1%00/files?path=/x',
    '/v1/sandboxes/box-1/files/..%2f..%2f..%2fetc%2fpasswd',
    '//etc/passwd',
    '/\\etc\\passwd',
  ])('%s leads nowhere', async (path) => {
    const [status = ''] = (
      await rawAnswer(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${testTokens.all}\r\nConnection: close\r\n\r\n`,
      )
    ).split('\r\n');
    expect(status).toMatch(/^HTTP\/1\.1 40[04] /);
  });

  test.each(['etc/passwd', '/../etc/passwd', '/a/../../x', '/a/..', '..', '/x\0y', `/${'a'.repeat(5_000)}`])(
    'the file %j is refused before anything is opened',
    async (path) => {
      const before = there.backend.opened.length;
      const url = `/v1/sandboxes/box-2/files?path=${encodeURIComponent(path)}`;
      expect((await there.request(url)).status).toBe(400);
      expect((await there.request(url, { method: 'PUT', body: 'x' })).status).toBe(400);
      expect(there.backend.opened.length).toBe(before);
    },
  );

  test('what comes from a sandbox is saved, never shown, whatever its name', async () => {
    const path = '/tmp/"; filename=x.html\r\nSet-Cookie: a=b';
    const url = `/v1/sandboxes/box-1/files?path=${encodeURIComponent(path)}`;
    await there.request(url, { method: 'PUT', body: '<script>' });
    const { headers } = await there.request(url);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''[A-Za-z0-9%._-]+$/),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers.get('set-cookie')).toBeNull();
  });
});

/** All that the server answers to raw bytes, until it closes. */
function rawAnswer(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port()), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1');
    socket.on('data', (data) => {
      answer += data;
      if (/^HTTP\/1\.1 \d+ /.test(answer)) socket.end();
    });
    socket.on('error', () => resolve(answer));
    socket.on('close', () => resolve(answer));
  });
}
