import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GitProxyOptions } from '../../bridge-server/http/git/git-proxy.ts';
import { limits } from '../../protocol/limits.ts';
import { type GitServer, gitName, gitUser, openGitServer, whatGitLacks } from '../http/git-server.ts';
import { openTestBridge, type TestBridge, testTokens } from '../http/test-bridge.ts';

const run = promisify(execFile);
const lack = await whatGitLacks();

let upstream: GitServer;
let there: TestBridge;
let home = '';
/** How often the name was looked up. */
let lookups = 0;

const loopback = (): GitProxyOptions => ({
  hosts: [upstream.host],
  ca: upstream.ca,
  resolve: async (name) => {
    lookups++;
    // Whoever asked again would be led elsewhere.
    return name === gitName ? [lookups === 1 ? '127.0.0.1' : '127.0.0.2'] : [];
  },
  mayReach: (address) => address === '127.0.0.1',
});

const open = (git: Partial<GitProxyOptions> = {}) => openTestBridge({ git: { ...loopback(), ...git } });
const refs = (repository = 'public.git') =>
  `/git/${upstream.host}/${repository}/info/refs?service=git-upload-pack`;

/** A request as a page makes it. */
function ask(path: string, init: RequestInit = {}, bridge: TestBridge = there): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has('x-coppice-token')) headers.set('x-coppice-token', testTokens.one);
  return bridge.request(path, { ...init, headers, token: null });
}

const codeOf = async (answer: Promise<Response>) => {
  const response = await answer;
  return [response.status, (await response.json()).error.code];
};

/** git itself, which knows nothing of the proxy but its URL and the header. */
async function git(...words: string[]): Promise<string> {
  const header = `http.extraHeader=X-Coppice-Token: ${testTokens.one}`;
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const { stdout } = await run('git', ['-c', header, ...who, ...words], { cwd: home, env, timeout: 60_000 });
  return stdout;
}

describe.skipIf(lack)(`S-6 the git proxy${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    upstream = await openGitServer();
    home = await mkdtemp(join(tmpdir(), 'coppice-git-client-'));
    for (const name of ['public.git', 'private/secret.git']) {
      const path = join(upstream.folder, name);
      await git('init', '-q', '--bare', '-b', 'main', path);
      await git('clone', '-q', path, 'seed');
      await writeFile(join(home, 'seed/file'), `of ${name}\n`);
      await git('-C', 'seed', 'add', '.');
      await git('-C', 'seed', 'commit', '-qm', 'first');
      await git('-C', 'seed', 'push', '-q', 'origin', 'HEAD:main');
      await rm(join(home, 'seed'), { recursive: true });
    }
  });
  afterAll(async () => {
    await upstream?.[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });
  beforeEach(async () => {
    there = await open();
    lookups = 0;
    upstream.requests.length = 0;
    upstream.answer = () => false;
  });
  afterEach(() => there[Symbol.asyncDispose]());

  test('B-7 git clones through it, and pushes with credentials of its own', async () => {
    await there[Symbol.asyncDispose]();
    there = await open({ resolve: async () => ['127.0.0.1'] });
    const proxy = `${there.bridge.url}/git/${upstream.host}`;
    await git('clone', '-q', `${proxy}/public.git`, 'public');
    expect(await readFile(join(home, 'public/file'), 'utf8')).toBe('of public.git\n');

    const credentials = `${gitUser.name}:${gitUser.password}@`;
    await git('clone', '-q', `${proxy}/private/secret.git`.replace('//', `//${credentials}`), 'secret');
    await writeFile(join(home, 'secret/big'), Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))));
    await git('-C', 'secret', 'add', '.');
    await git('-C', 'secret', 'commit', '-qm', 'second');
    await git('-C', 'secret', 'push', '-q', 'origin', 'HEAD:main');
    const log = await git('-C', join(upstream.folder, 'private/secret.git'), 'log', '--format=%s', 'main');
    expect(log).toBe('second\nfirst\n');
    await expect(git('clone', '-q', `${proxy}/private/secret.git`, 'none')).rejects.toThrow();
    expect(JSON.stringify([there.log, upstream.requests.map(({ headers }) => headers)])).not.toContain(
      'token-of',
    );
  });

  test('sends on what git needs, and nothing else of the client', async () => {
    const answer = await ask(refs(), {
      headers: {
        authorization: 'Basic YTpi',
        'git-protocol': 'version=2',
        cookie: 'a=b',
        origin: 'https://pages.example',
        referer: 'https://pages.example/x',
        'x-forwarded-for': '10.0.0.1',
        'user-agent': 'Mozilla',
        range: 'bytes=0-1',
      },
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('version 2');
    expect(upstream.requests[0]?.headers).toEqual({
      host: upstream.host,
      'user-agent': 'git/coppice',
      accept: 'application/x-git-upload-pack-advertisement',
      authorization: 'Basic YTpi',
      'git-protocol': 'version=2',
      connection: 'close',
    });
  });

  test('B2-28 looks a name up once, and connects to the address that was checked', async () => {
    expect((await ask(refs())).status).toBe(200);
    // Nobody else knows the name, so a second look at it could only lead elsewhere or nowhere.
    expect([lookups, upstream.requests.length]).toEqual([1, 1]);
  });

  test.each([
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['10.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fd00::1'],
    ['localhost'],
    ['140.82.121.4', '127.0.0.1'],
  ])('B2-30 a name of %s is refused before anything connects', async (...addresses) => {
    const git = { hosts: [upstream.host], ca: upstream.ca, resolve: async () => addresses };
    await using bridge = await openTestBridge({ git });
    expect(await codeOf(ask(refs(), {}, bridge))).toEqual([403, 'forbidden']);
    expect(upstream.requests).toEqual([]);
  });

  test('is off without a list, and for every host that is not on it', async () => {
    await using off = await openTestBridge();
    expect(await codeOf(ask(refs(), {}, off))).toEqual([501, 'unsupported']);
    const other = (host: string) => codeOf(ask(`/git/${host}/a.git/info/refs?service=git-upload-pack`));
    for (const host of [
      'other.test',
      `x${upstream.host}`,
      gitName,
      `${gitName}:22`,
      `${gitName}.evil.test`,
    ]) {
      expect(await other(host)).toEqual([403, 'forbidden']);
    }
    for (const host of ['127.0.0.1', '[::1]', 'a@b', '2130706433']) {
      expect(await other(host)).toEqual([400, 'invalid-argument']);
    }
    expect(lookups).toBe(0);
    await expect(openTestBridge({ git: { hosts: ['127.0.0.1'] } })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  test('a name that is not there, or a certificate of somebody else, is told as such', async () => {
    await using nowhere = await open({ resolve: async () => [] });
    expect(await codeOf(ask(refs(), {}, nowhere))).toEqual([502, 'connection-lost']);
    await using mistaken = await open({ ca: undefined });
    expect(await codeOf(ask(refs(), {}, mistaken))).toEqual([502, 'connection-lost']);
    expect(upstream.requests).toEqual([]);
  });

  test('B2-30 follows no redirect, and says where it leads', async () => {
    for (const location of [
      `https://${upstream.host}/other.git`,
      'http://127.0.0.1/',
      'file:///etc/passwd',
    ]) {
      lookups = 0;
      upstream.answer = (_, response) => {
        response.writeHead(302, { location }).end();
        return true;
      };
      const answer = await ask(refs());
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
      expect((await answer.json()).error).toMatchObject({ code: 'forbidden', details: { location } });
    }
    expect(upstream.requests).toHaveLength(3);
  });

  test('passes on why git refuses, as text, and nothing that is not of git', async () => {
    const missing = await ask(refs('absent.git'));
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/plain']);
    lookups = 0;
    const secret = await ask(refs('private/secret.git'));
    const asked = ['www-authenticate', 'x-content-type-options'].map((name) => secret.headers.get(name));
    expect([secret.status, await secret.text(), ...asked]).toEqual([
      401,
      'Sign in',
      'Basic realm="git"',
      'nosniff',
    ]);
    lookups = 0;
    upstream.answer = (_, response) => {
      response.writeHead(500, { 'set-cookie': 'a=b' }).end('x'.repeat(2 * limits.gitErrorBytes));
      return true;
    };
    const long = await ask(refs());
    expect([(await long.text()).length, long.headers.get('set-cookie')]).toEqual([
      limits.gitErrorBytes,
      null,
    ]);
    for (const [status, type] of [
      [200, 'text/html'],
      [200, 'application/x-git-upload-pack-result'],
      [204, 'application/x-git-upload-pack-advertisement'],
    ] as const) {
      lookups = 0;
      upstream.answer = (_, response) => {
        response.writeHead(status, { 'content-type': type }).end();
        return true;
      };
      expect(await codeOf(ask(refs()))).toEqual([502, 'connection-lost']);
    }
  });

  test('takes bodies of git only, packed or not, and no more than there is room for', async () => {
    const path = `/git/${upstream.host}/public.git/git-upload-pack`;
    const type = 'application/x-git-upload-pack-request';
    const post = (headers: Record<string, string>, body: BodyInit) => {
      lookups = 0;
      return ask(path, { method: 'POST', headers, body });
    };
    for (const wrong of ['application/json', 'text/plain', 'application/x-git-receive-pack-request']) {
      expect(await codeOf(post({ 'content-type': wrong }, '0000'))).toEqual([400, 'invalid-argument']);
    }
    const tooMuch = new Uint8Array(limits.gitRequestBytes.fetch + 1);
    expect(await codeOf(post({ 'content-type': type }, tooMuch))).toEqual([413, 'limit-exceeded']);
    expect(upstream.requests).toEqual([]);
    const packed = await post({ 'content-type': type, 'content-encoding': 'gzip' }, gzipSync('0000'));
    expect([packed.status, packed.headers.get('content-type')]).toEqual([
      200,
      'application/x-git-upload-pack-result',
    ]);
    expect(upstream.requests[0]?.headers).toMatchObject({ 'content-type': type, 'content-encoding': 'gzip' });
  });

  test('needs the token of the bridge in its own header, and one that may write to push', async () => {
    const authorization = `Bearer ${testTokens.all}`;
    const status = async (headers: Record<string, string>, path = refs()) => {
      lookups = 0;
      return (await there.request(path, { headers, token: null })).status;
    };
    expect(await status({ authorization })).toBe(401);
    expect(await status({ 'x-coppice-token': 'wrong' })).toBe(401);
    expect(upstream.requests).toEqual([]);
    const looks = { 'x-coppice-token': testTokens.lookAtOne };
    expect(await status(looks)).toBe(200);
    expect(await status(looks, refs().replace('upload', 'receive'))).toBe(403);
    expect(await status({ 'x-coppice-token': testTokens.one, origin: 'https://evil.example' })).toBe(403);
    const preflight = await there.request(refs(), {
      method: 'OPTIONS',
      headers: { origin: 'https://pages.example' },
      token: null,
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://pages.example');
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(
      /authorization.*git-protocol, x-coppice-token/,
    );
  });

  test('lets one client have so many at once, and ends what a client leaves', async () => {
    await using bridge = await open({ resolve: async () => ['127.0.0.1'] });
    const arrived = Promise.withResolvers<void>();
    const ended: Promise<unknown>[] = [];
    upstream.answer = (request) => {
      ended.push(once(request.socket, 'close'));
      if (ended.length === limits.gitRequestsOfAccount) arrived.resolve();
      return true;
    };
    const leave = new AbortController();
    const waiting = Array.from({ length: limits.gitRequestsOfAccount }, () =>
      ask(refs(), { signal: leave.signal }, bridge).catch((error) => error.name),
    );
    await arrived.promise;
    expect(await codeOf(ask(refs(), {}, bridge))).toEqual([409, 'busy']);
    leave.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['AbortError']));
    await Promise.all(ended);
    upstream.answer = () => false;
    while ((await ask(refs(), {}, bridge)).status !== 200) await bridge.request('/health');
    expect(bridge.log.some(({ level }) => Number(level) >= 50)).toBe(false);
  });

  test('an answer that breaks off does not look whole', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write('001e# service=git-upload-pack\n', () => response.destroy());
      return true;
    };
    const answer = await ask(refs());
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });
});
