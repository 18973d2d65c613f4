import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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
afterAll(async () => {
  vi.useRealTimers();
  await there[Symbol.asyncDispose]();
});

/** Sockets have no other answer than their opening. */
const sockets = ['/v1/sandboxes/{id}/terminal', '/v1/jails/{id}/terminal', '/v1/connect'];
/** What a token for reading may do though it is no GET: deal with tokens like itself, and fetch. */
const ownAffairs = [
  'POST /v1/tokens',
  'POST /v1/tokens/renew',
  'DELETE /v1/tokens/{token}',
  'POST /git/{host}/{path}/git-upload-pack',
];

/** The status of a route for a token, with a body that says nothing. */
async function statusOf({ method, path }: Operation, token: string): Promise<number> {
  const filled = path
    .replace('{id}', 'box-1')
    .replace('{snapshot}', 'a'.repeat(64))
    .replace('{tag}', 'tag')
    .replace('{token}', 'f'.repeat(16))
    .replace('{host}', 'git.example')
    .replace('{path}', 'a/b.git');
  if (sockets.includes(path)) {
    const protocols = ['coppice.v1', `coppice.token.${token}`];
    return upgradeStatus(there.bridge.url + filled, { protocols });
  }
  const headers = { 'x-coppice-token': token };
  const init = method === 'GET' ? { token, headers } : { token, headers, method, json: {} };
  const answer = await there.request(filled, init);
  await answer.body?.cancel();
  return answer.status;
}

/** The routes that answer otherwise than `expected`, with how. */
async function differing(
  token: string,
  { of, expected }: { of: readonly Operation[]; expected: number },
): Promise<string[]> {
  const wrong: string[] = [];
  for (const each of of) {
    const status = await statusOf(each, token);
    if (status !== expected) wrong.push(`${each.method} ${each.path} ${status}`);
  }
  return wrong;
}

const closed = () => operations.filter(({ needsToken }) => needsToken);

describe('S-6 C-3 every route of the document, and every socket', () => {
  test('is closed to a token that has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { token } = there.tokens.create({ name: 'short', scope: 'all', expiresAtMs: Date.now() + 1_000 });
    expect((await there.request('/v1/sandboxes', { token })).status).toBe(200);
    vi.setSystemTime(Date.now() + 1_000);
    expect(await differing(token, { of: closed(), expected: 401 })).toEqual([]);
    vi.useRealTimers();
  });

  test('is closed to a token that was revoked', async () => {
    const { id, token } = there.tokens.create({ name: 'gone', scope: 'all' });
    expect((await there.request('/v1/sandboxes', { token })).status).toBe(200);
    there.tokens.revoke(id);
    expect(await differing(token, { of: closed(), expected: 401 })).toEqual([]);
  });

  test('is closed to a mistyped token', async () => {
    const { token } = there.tokens.create({ name: 'typo', scope: 'all' });
    expect(await differing(`${token.slice(0, -1)}-`, { of: closed(), expected: 401 })).toEqual([]);
    expect(closed().length).toBeGreaterThan(40);
  });

  test('that names a sandbox knows none to the token of another', async () => {
    const of = operations.filter(({ path }) => path.includes('{id}'));
    expect(await differing(testTokens.two, { of, expected: 404 })).toEqual([]);
    expect(of.length).toBeGreaterThan(30);
  });

  test('that changes anything is forbidden to a token for reading', async () => {
    const of = operations.filter(
      ({ method, path }) =>
        (method !== 'GET' && !ownAffairs.includes(`${method} ${path}`)) || path.endsWith('/terminal'),
    );
    for (const token of [testTokens.lookAtAll, testTokens.lookAtOne]) {
      expect(await differing(token, { of, expected: 403 })).toEqual([]);
    }
    expect(of.length).toBeGreaterThan(25);
    expect(there.backend.opened).toEqual([]);
  });

  test('that only looks is open to a token for reading', async () => {
    const token = testTokens.lookAtOne;
    const statuses = await Promise.all(
      ['', '/files/list?path=/', '/snapshots', '/tags', '/events', '/archive'].map(async (path) => {
        const answer = await there.request(`/v1/sandboxes/box-1${path}`, { token });
        await answer.body?.cancel();
        return answer.status;
      }),
    );
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
    const connect = { method: 'GET', path: '/v1/connect', needsToken: true };
    expect(await statusOf(connect, token)).toBe(101);
  });
});
