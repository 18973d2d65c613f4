import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const home = '/v1/sandboxes/box-1';
const json = async (answer: Promise<Response>) => (await answer).json();
const codeOf = async (answer: Promise<Response>) => {
  const response = await answer;
  return [response.status, (await response.json()).error.code];
};

describe('O-8 sandboxes', () => {
  test('are made, listed, looked at and deleted', async () => {
    const made = await there.request('/v1/sandboxes', { method: 'POST', json: { name: 'mine' } });
    expect([made.status, await made.json()]).toEqual([
      201,
      expect.objectContaining({ id: 'box-3', name: 'mine', runtime: 'jail', state: 'open' }),
    ]);
    expect(await json(there.request('/v1/sandboxes/box-3'))).toMatchObject({ id: 'box-3', state: 'open' });
    expect((await there.request('/v1/sandboxes/box-3', { method: 'DELETE' })).status).toBe(204);
    expect(await codeOf(there.request('/v1/sandboxes/box-3'))).toEqual([404, 'not-found']);
    expect(there.backend.sandbox('box-3').isClosed).toBe(true);
  });

  test('come in pages', async () => {
    const first = await json(there.request('/v1/sandboxes?limit=1'));
    expect(first).toMatchObject({ items: [{ id: 'box-1', state: 'closed' }], next: 'box-1' });
    const second = await json(there.request(`/v1/sandboxes?limit=1&cursor=${first.next}`));
    expect(second.items.map(({ id }: { id: string }) => id)).toEqual(['box-2']);
    expect('next' in second).toBe(false);
    expect(await codeOf(there.request('/v1/sandboxes?cursor=gone'))).toEqual([404, 'not-found']);
    expect(await codeOf(there.request('/v1/sandboxes?limit=0'))).toEqual([400, 'invalid-argument']);
  });

  test('start and stop keep the files and end the machine', async () => {
    expect(await json(there.request(`${home}/start`, { method: 'POST' }))).toMatchObject({ state: 'open' });
    expect((await there.request(`${home}/stop`, { method: 'POST' })).status).toBe(204);
    expect(there.backend.sandbox('box-1').isClosed).toBe(true);
    expect(await json(there.request(home))).toMatchObject({ state: 'closed' });
  });

  test('are listed by their labels', async () => {
    const make = (name: string, metadata: Record<string, string>) =>
      there.request('/v1/sandboxes', { method: 'POST', json: { name, metadata } });
    await make('a', { team: 'red', tier: '1' });
    await make('b', { team: 'red' });
    const names = async (query: string) =>
      (await json(there.request(`/v1/sandboxes?${query}`))).items.map(({ name }: { name: string }) => name);
    expect(await names('metadata.team=red')).toEqual(['a', 'b']);
    expect(await names('metadata.team=red&metadata.tier=1')).toEqual(['a']);
    expect(await names('metadata.team=blue&limit=5')).toEqual([]);
    expect(await codeOf(there.request('/v1/sandboxes?metadat.team=red'))).toEqual([400, 'invalid-argument']);
  });

  test('H-8 are deleted at their end, which can be moved', async () => {
    const post = (body: unknown) => ({ method: 'POST', json: body });
    const made = await json(there.request('/v1/sandboxes', post({ timeoutMs: 60_000 })));
    expect(made.expiresAtMs).toBeGreaterThan(Date.now());
    const at = `/v1/sandboxes/${made.id}`;
    const moved = await json(there.request(`${at}/timeout`, post({ timeoutMs: 3_600_000 })));
    expect(moved.expiresAtMs).toBeGreaterThan(made.expiresAtMs);
    expect('expiresAtMs' in (await json(there.request(`${at}/timeout`, post({ timeoutMs: null }))))).toBe(
      false,
    );
    expect(await codeOf(there.request(`${at}/timeout`, post({ timeoutMs: 1 })))).toEqual([
      400,
      'invalid-argument',
    ]);
    await there.backend.setTimeout({ id: made.id, timeoutMs: 0 });
    const sandbox = there.backend.sandbox(made.id);
    await expect.poll(() => sandbox.isClosed).toBe(true);
    await expect.poll(async () => (await there.request(at)).status).toBe(404);
    expect(there.log).toContainEqual(
      expect.objectContaining({ sandbox: made.id, msg: 'deleted at its end' }),
    );
  });

  test('are there under the names of the jails API', async () => {
    expect((await json(there.request('/v1/jails'))).items).toHaveLength(2);
    const [{ id: snapshot }] = (await json(there.request('/v1/jails/box-1/snapshots'))).items;
    const post = { method: 'POST', json: {} };
    expect((await there.request(`/v1/jails/box-1/snapshots/${snapshot}/checkout`, post)).status).toBe(200);
    expect((await there.request(`/v1/jails/box-1/snapshots/${snapshot}/restore`, post)).status).toBe(201);
    expect((await there.request('/v1/jails/box-1/snapshot', post)).status).toBe(201);
    expect((await there.request(`/v1/jails/box-1/snapshots/${snapshot}/branch`, post)).status).toBe(201);
    expect((await there.request(`/v1/jails/box-1/fs/diff?from=${snapshot}`)).status).toBe(200);
  });
});

describe('C-2 files', () => {
  const file = (path: string) => `${home}/files?path=${encodeURIComponent(path)}`;

  test('are written and read as they are', async () => {
    const bytes = Uint8Array.from({ length: 700_000 }, (_, index) => index % 251);
    const put = await there.request(file('/tmp/ü.bin'), { method: 'PUT', body: bytes });
    expect(put.status).toBe(204);
    const got = await there.request(file('/tmp/ü.bin'));
    expect(Buffer.compare(Buffer.from(await got.arrayBuffer()), bytes)).toBe(0);
    expect(got.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''%C3%BC.bin");
    expect(got.headers.get('content-security-policy')).toContain('sandbox');
  });

  test('are listed, described, moved, copied and removed; directories are made', async () => {
    await there.request(`${home}/files/directory`, { method: 'POST', json: { path: '/srv' } });
    await there.request(file('/srv/a'), { method: 'PUT', body: 'a' });
    const stat = await json(there.request(`${home}/files/stat?path=/srv/a`));
    expect(stat).toMatchObject({ path: '/srv/a', type: 'file', sizeBytes: 1 });
    const rename = { method: 'POST', json: { from: '/srv/a', to: '/srv/b' } };
    expect((await there.request(`${home}/files/rename`, rename)).status).toBe(204);
    const list = await json(there.request(`${home}/files/list?path=/srv`));
    expect(list.items.map(({ name }: { name: string }) => name)).toEqual(['b']);
    const copy = { method: 'POST', json: { from: '/srv/b', to: '/srv/c' } };
    expect((await there.request(`${home}/files/copy`, copy)).status).toBe(204);
    expect((await json(there.request(`${home}/files/stat?path=/srv/c`))).sizeBytes).toBe(1);
    expect((await there.request(file('/srv/b'), { method: 'DELETE' })).status).toBe(204);
    expect(await codeOf(there.request(file('/srv/b')))).toEqual([404, 'not-found']);
  });

  test('an upload past the limit is refused before it is sent, and its memory is given back', async () => {
    const headers = { 'content-length': String(limits.uploadBytes + 1) };
    const { request } = await import('node:http');
    const url = new URL(there.bridge.url + file('/big'));
    const status = await new Promise((resolve, reject) => {
      const auth = { authorization: 'Bearer token-of-all' };
      const sent = request(url, { method: 'PUT', headers: { ...headers, ...auth } }, (answer) => {
        resolve(answer.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });
});

describe('O-7 snapshots', () => {
  const post = (body: unknown) => ({ method: 'POST', json: body });

  test('are taken, listed, looked at, tagged, compared and deleted', async () => {
    const [root] = (await json(there.request(`${home}/snapshots`))).items;
    await there.request(`${home}/files?path=/new`, { method: 'PUT', body: 'x' });
    const made = await json(there.request(`${home}/snapshots`, post({ label: 'one' })));
    expect(made).toMatchObject({ parents: [root.id], cause: { type: 'manual', label: 'one' }, tags: [] });
    expect(await json(there.request(`${home}/snapshots/${made.id}`))).toMatchObject({ id: made.id });

    const tag = { method: 'PUT', json: { snapshot: root.id } };
    expect((await there.request(`${home}/tags/good`, tag)).status).toBe(204);
    expect(await json(there.request(`${home}/tags`))).toEqual({
      items: [{ tag: 'good', snapshot: root.id }],
    });
    expect((await there.request(`${home}/tags/good`, { method: 'DELETE' })).status).toBe(204);

    const diff = await json(there.request(`${home}/diff?from=${root.id}&to=${made.id}`));
    expect(diff.items).toEqual([{ type: 'created', path: '/new', sizeBytes: 1 }]);
    expect(await json(there.request(`${home}/snapshots/${root.id}/diff`))).toEqual(diff);

    expect((await there.request(`${home}/snapshots/${root.id}`, { method: 'DELETE' })).status).toBe(204);
    const { items, head } = await json(there.request(`${home}/snapshots`));
    expect([items.map(({ id }: { id: string }) => id), head]).toEqual([[made.id], made.id]);
    const unknown = '0'.repeat(64);
    expect(await codeOf(there.request(`${home}/snapshots/${unknown}`))).toEqual([404, 'not-found']);
    expect(await codeOf(there.request(`${home}/snapshots/x`))).toEqual([404, 'not-found']);
  });

  test('are named by HEAD, a tag and the start of an id wherever one is named', async () => {
    const [root] = (await json(there.request(`${home}/snapshots`))).items;
    await there.request(`${home}/tags/v1`, { method: 'PUT', json: { snapshot: 'HEAD' } });
    await there.request(`${home}/files?path=/new`, { method: 'PUT', body: 'x' });
    const { id: made } = await json(there.request(`${home}/snapshots`, post({})));
    const names = ['v1', root.id.slice(0, 8), root.id];
    for (const name of names) {
      expect(await json(there.request(`${home}/snapshots/${name}`))).toMatchObject({ id: root.id });
      const diff = await json(there.request(`${home}/diff?from=${name}&to=HEAD`));
      expect(diff.items).toEqual([{ type: 'created', path: '/new', sizeBytes: 1 }]);
      expect(await json(there.request(`${home}/snapshots/${name}/diff`))).toEqual(diff);
      expect((await there.request(`${home}/files?path=/new&at=${name}`)).status).toBe(404);
      expect((await there.request(`${home}/files/stat?path=/new&at=HEAD`)).status).toBe(200);
      const from = { sandbox: 'box-1', snapshot: name };
      expect((await there.request('/v1/sandboxes', post({ from }))).status).toBe(201);
      expect((await there.request(`${home}/snapshots/${name}/fork`, post({}))).status).toBe(201);
      expect(
        (await there.request(`${home}/tags/again`, { method: 'PUT', json: { snapshot: name } })).status,
      ).toBe(204);
      expect(await json(there.request(`${home}/snapshots/${name}/checkout`, post({})))).toMatchObject({
        head: root.id,
      });
      expect(
        await json(there.request(`${home}/snapshots/${made.slice(0, 8)}/checkout`, post({}))),
      ).toMatchObject({
        head: made,
      });
    }
    await there.request(`${home}/tags/v1`, { method: 'DELETE' });
    expect(
      (await there.request(`${home}/snapshots/${root.id.slice(0, 8)}`, { method: 'DELETE' })).status,
    ).toBe(204);
    expect(await codeOf(there.request(`${home}/snapshots/v1`))).toEqual([404, 'not-found']);
  });

  test('are compared with the text that differs, file by file', async () => {
    await there.request(`${home}/files?path=/new`, { method: 'PUT', body: 'one\ntwo\n' });
    const created = await json(there.request(`${home}/diff?from=HEAD&patch=true`));
    expect(created.items).toMatchObject([{ path: '/new', content: 'text', added: 2, deleted: 0 }]);
    expect(created.items[0].patch).toContain('--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+one\n+two\n');
    await json(there.request(`${home}/snapshots`, post({ label: 'one' })));
    await there.request(`${home}/files?path=/new`, { method: 'PUT', body: 'one\n' });
    const changed = await json(there.request(`${home}/snapshots/HEAD/diff?patch=true`));
    expect(changed.items[0].patch).toContain('@@ -1,2 +1 @@\n one\n-two\n');
    expect(await codeOf(there.request(`${home}/diff?from=now&sandbox=box-2&patch=true`))).toEqual([
      501,
      'unsupported',
    ]);
  });

  test('are compared with one of another sandbox, which the token has to see', async () => {
    await there.request(`${home}/files?path=/new`, { method: 'PUT', body: 'x' });
    const diff = await json(there.request(`${home}/diff?from=now&sandbox=box-2`));
    expect(diff.items).toEqual([{ type: 'deleted', path: '/new', sizeBytes: 1 }]);
    expect(await json(there.request(`${home}/snapshots/HEAD/diff?sandbox=box-2&to=HEAD`))).toEqual({
      items: [],
    });
    const token = testTokens.one;
    const denied = there.request(`${home}/diff?from=now&sandbox=box-2`, { token });
    expect(await codeOf(denied)).toEqual([404, 'not-found']);
    expect(await codeOf(there.request(`${home}/diff?from=now&to=now&sandbox=box-2`))).toEqual([
      400,
      'invalid-argument',
    ]);
  });

  test('restore makes a sandbox, and leaves the one that has the snapshot as it is', async () => {
    await there.request(`${home}/files?path=/new`, { method: 'PUT', body: 'x' });
    const made = await there.request(`${home}/snapshots/HEAD/restore`, post({ name: 'again' }));
    expect([made.status, await made.json()]).toEqual([
      201,
      expect.objectContaining({ id: 'box-3', name: 'again', state: 'open' }),
    ]);
    expect((await there.request(`${home}/files?path=/new`)).status).toBe(200);
  });

  test('are restored, branched and compared by their id alone, of those that the token sees', async () => {
    const [root] = (await json(there.request('/v1/sandboxes/box-2/snapshots'))).items;
    const all = `/v1/snapshots/${root.id}`;
    expect((await there.request(`${all}/restore`, post({}))).status).toBe(201);
    expect((await json(there.request(`${all}/branch`, post({ count: 2 })))).items).toHaveLength(2);
    expect(await json(there.request(`/v1/snapshots/${root.id.slice(0, 8)}/diff`))).toEqual({ items: [] });
    expect(await codeOf(there.request(`${all}/diff`, { token: testTokens.one }))).toEqual([404, 'not-found']);
    expect(await codeOf(there.request('/v1/snapshots/HEAD/diff'))).toEqual([400, 'invalid-argument']);
  });

  test('checkout goes back and says what was left', async () => {
    const [root] = (await json(there.request(`${home}/snapshots`))).items;
    await there.request(`${home}/files?path=/new`, { method: 'PUT', body: 'x' });
    const moved = await json(there.request(`${home}/snapshots/${root.id}/checkout`, post({})));
    expect(moved.head).toBe(root.id);
    expect(moved.previousHead).not.toBe(root.id);
    expect((await there.request(`${home}/files?path=/new`)).status).toBe(404);
  });

  test('fork makes as many as asked for', async () => {
    const [root] = (await json(there.request(`${home}/snapshots`))).items;
    const forks = await json(
      there.request(`${home}/snapshots/${root.id}/fork`, post({ count: 3, name: 'b' })),
    );
    expect(forks.items.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
      ['box-3', 'b'],
      ['box-4', 'b'],
      ['box-5', 'b'],
    ]);
    const many = post({ count: limits.forks + 1 });
    expect(await codeOf(there.request(`${home}/snapshots/${root.id}/fork`, many))).toEqual([
      400,
      'invalid-argument',
    ]);
  });
});

describe('C-3 the bridge itself', () => {
  test('health, the document and its page need no token', async () => {
    expect(await json(there.request('/health', { token: null }))).toEqual({ status: 'ok' });
    expect(await json(there.request('/ready', { token: null }))).toEqual({ status: 'ready', items: [] });
    const document = await json(there.request('/openapi.json', { token: null }));
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Coppice bridge' } });
    const page = await there.request('/docs', { token: null });
    const text = await page.text();
    for (const path of Object.keys(document.paths)) expect(text).toContain(path);
    expect(text).not.toMatch(/<script|https?:\/\//);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  test('metrics count requests by the pattern of their route, and tell what is open', async () => {
    await there.request(home);
    await there.request('/nothing/here');
    await there.request(`${home}/start`, { method: 'POST' });
    const text = await (await there.request('/metrics')).text();
    expect(text).toMatch(
      /http_server_request_duration_seconds_count\{method="GET",route="\/v1\/sandboxes\/:id",status="200"\} 1/,
    );
    expect(text).toMatch(/route="unmatched",status="404"/);
    expect(text).toContain('coppice_sandboxes_open 1');
    expect(text).not.toContain('box-1');
  });

  test('the doctor tells what the host can do', async () => {
    expect(await json(there.request('/v1/doctor'))).toEqual({
      items: [{ name: 'overlay', state: 'ok', why: '' }],
    });
  });
});
