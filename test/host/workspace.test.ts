import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import { setUpWorkspace } from '../../sandbox/workspace/set-up-workspace.ts';
import { planWorkspace } from '../../sandbox/workspace/workspace-plan.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();
const git = 'file:///home/user/origin';

describe.skipIf(lack)(
  `I-3 a sandbox that begins with a repository${lack ? ` (not here: ${lack})` : ''}`,
  () => {
    let files: TestFolder;
    let bridge: RunningBridge;
    let backend: Awaited<ReturnType<typeof connect>>;
    let token: string;
    /** A sandbox with the repository `~/origin`, and a snapshot of it. */
    let parent: Sandbox;
    let from: { sandbox: string; snapshot: Awaited<ReturnType<Sandbox['createSnapshot']>>['id'] };

    beforeAll(async () => {
      files = await makeTestFolder();
      bridge = await runTestBridge(files.options);
      token = bridge.host.tokens.create({ name: 'test', scope: 'all' }).token;
      backend = await connect({ url: bridge.url, token });
      parent = await Sandbox.create({ backend });
      const { exitCode } = await parent.run(
        'git config --global user.name S; git config --global user.email s@example.org; git init -q ~/origin && cd ~/origin && echo one > file && git add . && git commit -qm one',
      );
      expect(exitCode).toBe(0);
      from = { sandbox: parent.id, snapshot: (await parent.createSnapshot()).id };
    });
    afterAll(async () => {
      await parent?.close();
      await backend?.[Symbol.asyncDispose]();
      await bridge?.[Symbol.asyncDispose]();
      await files?.[Symbol.asyncDispose]();
    });

    const post = (body: object) =>
      fetch(`${bridge.url}/v1/sandboxes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const ids = async () => (await Sandbox.list({ backend })).map(({ id }) => id);

    test('has it when it is there, says how far it is, and its fork has it at the same place', async () => {
      const told: Progress[] = [];
      const onProgress = (progress: Progress) => void told.push(progress);
      await using sandbox = await Sandbox.create({ backend, from, workspace: { git }, onProgress });
      expect(await sandbox.files.read('/workspace/file')).toBe('one\n');
      expect(told.find(({ stage }) => stage === 'workspace')?.text).toBe(`Cloning ${git}`);
      const [newest] = await sandbox.history.log();
      expect(newest?.cause).toEqual({ type: 'manual', label: `workspace from ${git}` });
      const [fork] = await sandbox.fork();
      if (!(fork instanceof Sandbox)) throw fork;
      expect((await fork.run('git status --porcelain; pwd', { cwd: '/workspace' })).stdout).toBe(
        '/workspace\n',
      );
      await fork.close();
      await Sandbox.delete(fork.id, { backend });
      await sandbox.close();
      await Sandbox.delete(sandbox.id, { backend });
    });

    test('is made over HTTP', async () => {
      const answer = await post({ from, workspace: { git, path: '/home/user/work' } });
      const { id } = await answer.json();
      expect(answer.status).toBe(201);
      const sandbox = await Sandbox.open(id, { backend });
      expect(await sandbox.files.read('/home/user/work/file')).toBe('one\n');
      await sandbox.close();
      await Sandbox.delete(id, { backend });
    });

    test('H-8 is not there at all when its repository is not to be had', async () => {
      const before = await ids();
      const missing = Sandbox.create({ backend, workspace: { git: 'file:///home/user/nowhere' } });
      await expect(missing).rejects.toMatchObject({ code: 'not-found' });
      const noRef = Sandbox.create({ backend, from, workspace: { git, ref: 'nope' } });
      await expect(noRef).rejects.toMatchObject({ code: 'not-found' });
      expect(await ids()).toEqual(before);
    });

    test('H-10 is refused before it is made where the URL needs a network that it has not', async () => {
      const before = await ids();
      const workspace = { git: 'https://example.org/a' };
      const refused = { code: 'unsupported', message: expect.stringContaining('the sandbox has no network') };
      await expect(Sandbox.create({ backend, workspace })).rejects.toMatchObject(refused);
      await expect(Sandbox.create({ backend, workspace, from })).rejects.toMatchObject(refused);
      const answer = await post({ workspace });
      expect([answer.status, (await answer.json()).error]).toEqual([501, expect.objectContaining(refused)]);
      const odd = await post({ workspace: { git: 'ext::sh -c true' } });
      expect([odd.status, (await odd.json()).error.code]).toEqual([400, 'invalid-argument']);
      expect(await ids()).toEqual(before);
    });

    test('comes over HTTP, and git asks nobody for a password', async () => {
      await using sandbox = await Sandbox.open(parent.id, { backend });
      await sandbox.run('git -C ~/origin update-server-info');
      const server = `
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith('/private'):
            self.send_response(401)
            self.send_header('WWW-Authenticate', 'Basic realm="x"')
            self.end_headers()
        elif self.path.startswith('/away'):
            self.send_response(302)
            self.send_header('Location', 'file:///home/user/origin')
            self.end_headers()
        else:
            super().do_GET()
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()`;
      const said = Promise.withResolvers<string>();
      const serving = await sandbox.commands.run(['python3', '-c', server], {
        cwd: '/home/user/origin',
        background: true,
        onStdout: (text) => said.resolve(text.trim()),
      });
      const base = `http://127.0.0.1:${await said.promise}`;
      const setUp = (path: string) => {
        const plan = planWorkspace({ git: `${base}${path}`, path: '/home/user/got' }, { network: 'full' });
        return setUpWorkspace(sandbox.connection, plan, { onProgress: () => {} });
      };
      await expect(setUp('/private')).rejects.toMatchObject({ code: 'forbidden' });
      await expect(setUp('/away')).rejects.toMatchObject({ code: 'asset-unavailable' });
      await expect(setUp('/nowhere')).rejects.toMatchObject({ code: 'not-found' });
      await setUp('/.git');
      expect(await sandbox.files.read('/home/user/got/file')).toBe('one\n');
      await serving.kill();
      await sandbox.run('rm -r ~/got');
    });

    test('H-8 is not there when its client gives up or goes away while git works', async () => {
      await parent.run(
        `printf '#!/bin/sh\\nexec sleep 1000\\n' > ~/hang; chmod +x ~/hang; git config --global uploadpack.packObjectsHook /home/user/hang`,
      );
      const snapshot = (await parent.createSnapshot()).id;
      const before = await ids();
      const create = (client: typeof backend, signal?: AbortSignal) => {
        const began = Promise.withResolvers<void>();
        const onProgress = ({ stage }: Progress) => stage === 'workspace' && began.resolve();
        const made = Sandbox.create({
          backend: client,
          from: { ...from, snapshot },
          workspace: { git },
          onProgress: (progress) => void onProgress(progress),
          ...(signal ? { signal } : {}),
        }).then(
          () => 'made',
          ({ code }) => code,
        );
        return { began: began.promise, made };
      };
      const giveUp = new AbortController();
      const first = create(backend, giveUp.signal);
      await first.began;
      giveUp.abort();
      expect(await first.made).toBe('aborted');
      expect(await ids()).toEqual(before);

      const other = await connect({ url: bridge.url, token });
      const second = create(other);
      await second.began;
      await other[Symbol.asyncDispose]();
      expect(await second.made).toBe('connection-lost');
      await expect.poll(ids).toEqual(before);
    });
  },
);
