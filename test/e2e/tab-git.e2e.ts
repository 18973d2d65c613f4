import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import type { Progress } from '../../sdk/index.ts';
import { gitUser, openGitServer, whatGitLacks } from '../http/git-server.ts';
import { openTestBridge, testTokens } from '../http/test-bridge.ts';
import { inLongRun } from '../runs-long.ts';
import { serveSite } from './tab/drive-page.ts';
import { allowPages, expectPushed, gitEnv, makeRepository, repository } from './tab/git-repository.ts';
import { openSdkPage } from './tab/sdk-page.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

const run = promisify(execFile);
let site: StaticServer;
test.beforeAll(async () => {
  const lack = await whatGitLacks();
  test.skip(lack !== undefined, `no git server here: ${lack}`);
  site = await serveSite();
});
test.afterAll(() => site?.[Symbol.asyncDispose]());

test('I-3 S-6 a private repository is cloned, edited, committed and pushed from a tab through the proxy of a bridge', async ({
  context,
}) => {
  await using server = await openGitServer();
  await makeRepository(server);
  const mayReach = (address: string) => address === '127.0.0.1';
  await using there = await openTestBridge({
    git: { hosts: [server.host], ca: server.ca, resolve: async () => ['127.0.0.1'], mayReach },
    allowedOrigins: [new URL(site.url).origin],
  });
  const { page, module } = await openSdkPage(context, site.url);
  const fetched = requestsOf(page);
  const proxy = { url: there.bridge.url, token: testTokens.one };
  const seen = await editAndPush(page, { module, url: server.url(`/${repository}`), proxy });

  expect(seen.head).toEqual({ branch: 'main', head: seen.first });
  expect(seen.status).toEqual([{ path: 'file', staged: 'unchanged', unstaged: 'modified' }]);
  expect(seen.patch).toContain('+two\n');
  expect(seen.asked).toEqual([`https://${server.host}`, `https://${server.host}`]);
  expect(seen.told).toContain(`Cloning ${server.url(`/${repository}`)}`);
  expect(seen.told.some((text) => text.includes('objects'))).toBe(true);
  await expectPushed(server, seen.commit);
  expect(fetched.filter((url) => url.includes('isomorphic-git'))).toHaveLength(1);
  expect(server.requests.every(({ headers }) => headers['x-coppice-token'] === undefined)).toBe(true);
});

longTest(
  'I-3 a server that lets pages read its answers is asked straight from the tab; one that does not is named',
  async ({ context }) => {
    await using server = await openGitServer({ isPlain: true });
    await makeRepository(server);
    const { page, module } = await openSdkPage(context, site.url);
    const url = server.url(`/${repository}`);
    const refusal = await page.evaluate(
      async ({ module, url }) => {
        const { Sandbox, SandboxError }: typeof import('../../sdk/index.ts') = await import(module);
        await using sandbox = await Sandbox.create({ runtime: 'shell' });
        const cloning = sandbox.git.clone({ url, directory: '/home/user/project' });
        const { code, details } = await cloning.then(() => SandboxError.from('cloned'), SandboxError.from);
        return { code, remedy: details.remedy, left: (await sandbox.run('ls -A | grep -i project')).stdout };
      },
      { module, url },
    );
    expect(refusal).toMatchObject({ code: 'asset-unavailable', remedy: expect.stringContaining('`proxy`') });
    expect(refusal.left).toBe('');

    allowPages(server, new URL(site.url).origin);
    const seen = await editAndPush(page, { module, url });
    expect(seen.head).toEqual({ branch: 'main', head: seen.first });
    expect(seen.asked).toEqual([new URL(url).origin, new URL(url).origin]);
    await expectPushed(server, seen.commit);
  },
);

test('I-3 S-1 a clone is given up from the page; the page and a shell load no git before it is used', async ({
  context,
}) => {
  await using server = await openGitServer({ isPlain: true });
  await makeRepository(server);
  const { page, module } = await openSdkPage(context, site.url);
  const fetched = requestsOf(page);
  const { promise: isAsked, resolve: onAsked } = Promise.withResolvers<void>();
  server.answer = (_request, response) => {
    response.setHeader('access-control-allow-origin', new URL(site.url).origin);
    onAsked();
    return true;
  };
  await page.evaluate(
    async ({ module }) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      const sandbox = await Sandbox.create({ runtime: 'shell' });
      await sandbox.run('echo one > file');
      Object.assign(globalThis, { sandbox, giveUp: new AbortController() });
    },
    { module },
  );
  expect(fetched.some((url) => url.includes('serve-backend'))).toBe(true);
  expect(fetched.filter((url) => url.includes('isomorphic-git'))).toEqual([]);
  const cloning = page.evaluate(
    async ({ url }) => {
      const { sandbox, giveUp } = globalThis as unknown as {
        sandbox: import('../../sdk/index.ts').Sandbox;
        giveUp: AbortController;
      };
      const { signal } = giveUp;
      const code = await sandbox.git.clone({ url, directory: '/home/user/project', signal }).then(
        () => 'cloned',
        (error) => error.code,
      );
      return { code, left: (await sandbox.run('ls -A')).stdout };
    },
    { url: server.url(`/${repository}`) },
  );
  await isAsked;
  await page.evaluate(() => (globalThis as unknown as { giveUp: AbortController }).giveUp.abort());
  const { code, left } = await cloning;
  expect(code).toBe('aborted');
  expect(left).not.toContain('project');

  const app = await context.newPage();
  const loaded = requestsOf(app);
  await app.goto(site.url);
  await expect(app.locator('coppice-pane').first()).toBeVisible();
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.filter((url) => /isomorphic-git|buffer-/.test(url))).toEqual([]);
});

test('I-3 a history of a tab is a repository that real git clones and finds whole, and commits are snapshots', async ({
  context,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-git-'));
  try {
    const { page, module } = await openSdkPage(context, site.url);
    const seen = await page.evaluate(async (module) => {
      const { exportGit, importGit, Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      await using sandbox = await Sandbox.create({ runtime: 'shell' });
      await sandbox.run('echo one > file; ln -s file link; mkdir empty');
      await sandbox.createSnapshot({ label: 'first' });
      await sandbox.run('echo two >> file');
      await sandbox.createSnapshot({ label: 'second' });
      const repository = await exportGit(sandbox, { path: '/home/user' });
      let text = '';
      for await (const piece of repository) for (const byte of piece) text += String.fromCharCode(byte);
      const made = await sandbox.run(
        `git config --global user.name Ada; git config --global user.email ada@example.org; git init -b main project
        cd project; for word in one two; do echo $word > file; git add .; git commit -q -m "$word"; done`,
      );
      const { snapshots: commits } = await importGit(sandbox, { directory: '/home/user/project' });
      const contents: string[] = [];
      for (const at of commits.values())
        contents.push(await sandbox.files.read('/home/user/project/file', { at }));
      return { tar: btoa(text), omitted: repository.omitted, stderr: made.stderr, contents };
    }, module);
    expect(seen).toMatchObject({ stderr: '', contents: ['one\n', 'two\n'] });
    expect(seen.omitted).toEqual([{ path: 'empty/', why: 'git has no empty directories' }]);
    await writeFile(join(folder, 'tar'), Buffer.from(seen.tar, 'base64'));
    const script = 'mkdir bare.git; tar -xf tar -C bare.git; git clone --quiet bare.git clone; cd clone';
    const show =
      'git fsck --strict --full; git log --format=%s | grep -xE "first|second"; cat link; git status --porcelain';
    const { stdout } = await run('sh', ['-ec', `${script}; ${show}`], { cwd: folder, env: gitEnv(folder) });
    expect(stdout).toBe('second\nfirst\none\ntwo\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** What a page and its workers ask for, as it comes. */
function requestsOf(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => void urls.push(request.url()));
  return urls;
}

/** In the page: clones, changes a file, commits it and pushes, with what signs in given when it is asked for. */
function editAndPush(
  page: Page,
  ask: { readonly module: string; readonly url: string; readonly proxy?: { url: string; token: string } },
) {
  return page.evaluate(
    async ({ module, url, proxy, user }) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      await using sandbox = await Sandbox.create({ runtime: 'shell' });
      const directory = '/home/user/project';
      const asked: string[] = [];
      const told: string[] = [];
      const options = {
        ...(proxy ? { proxy } : {}),
        onProgress: ({ text = '' }: Progress) => void told.push(text),
        onCredentials: ({ origin }: { origin: string }) => {
          asked.push(origin);
          return { username: user.name, password: user.password };
        },
      };
      const head = await sandbox.git.clone({ url, directory, ...options });
      const [first] = await sandbox.git.log({ directory });
      await sandbox.run('echo two >> file', { cwd: directory });
      const { files } = await sandbox.git.status({ directory });
      const { patch } = await sandbox.git.diff({ directory });
      await sandbox.git.add({ directory });
      const author = { name: 'Ada', email: 'ada@example.org' };
      const commit = await sandbox.git.commit({ directory, message: 'second', author });
      await sandbox.git.push({ directory, ...options });
      return { head, first: first?.id, status: files, patch, asked, told, commit: commit.id };
    },
    { ...ask, user: gitUser },
  );
}
