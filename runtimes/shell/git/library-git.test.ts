import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import { importGit } from '../../../sdk/git-history/import-git.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { gitSuite } from '../../../test/conformance/git-suite.ts';
import { type GitServer, openGitServer, whatGitLacks } from '../../../test/http/git-server.ts';
import { shellBackend } from '../shell-backend.ts';

const lack = await whatGitLacks();
const run = promisify(execFile);
const directory = '/home/user/project';
const author = { name: 'Ada', email: 'ada@example.org' };

describe.skipIf(lack)(`git in a shell in this process${lack ? ` (not here: ${lack})` : ''}`, () => {
  gitSuite(async () => {
    const sandbox = await Sandbox.create({ backend: shellBackend() });
    const sh = async (script: string) => (await sandbox.run(script)).stdout;
    return { git: sandbox.git, home: '/home/user', sh, [Symbol.asyncDispose]: () => sandbox.close() };
  });

  describe('in its files', () => {
    let server: GitServer;
    beforeAll(async () => {
      server = await openGitServer({ isPlain: true });
      const script = `git init --quiet --bare --initial-branch=main a.git; git clone --quiet a.git work 2>/dev/null; cd work
        git checkout --quiet -b main; head -c 3000000 /dev/urandom > big; echo one > file; git add .
        git -c user.name=B -c user.email=b@c commit --quiet -m first; git push --quiet origin main`;
      const env = { PATH: process.env.PATH, HOME: server.folder, GIT_CONFIG_NOSYSTEM: '1' };
      await run('sh', ['-ec', script], { cwd: server.folder, env });
    });
    afterAll(() => server[Symbol.asyncDispose]());
    const onServer = (script: string) =>
      run('sh', ['-ec', script], {
        cwd: server.folder,
        env: { PATH: process.env.PATH, HOME: server.folder },
      });
    beforeEach(() => {
      server.answer = () => false;
    });

    test('I-3 I-1 a sandbox begins with a repository, of the user, and a snapshot says so', async () => {
      const git = server.url('/a.git');
      const told: Progress[] = [];
      const onProgress = (progress: Progress) => void told.push(progress);
      const options = { backend: shellBackend(), workspace: { git }, onProgress };
      await using sandbox = await Sandbox.create(options);
      expect((await sandbox.run('ls -A /workspace; stat -c %U /workspace /workspace/file')).stdout).toBe(
        '.git\nbig\nfile\nuser\nuser\n',
      );
      const log = await sandbox.history.log();
      expect(log.map(({ cause }) => cause)).toContainEqual({
        type: 'manual',
        label: `workspace from ${git}`,
      });
      expect(new Set(told.map(({ stage }) => stage))).toEqual(new Set(['workspace', 'ready']));
    });

    test('I-3 a clone that there is no room for leaves nothing, and says so', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend(), diskMiB: 64 });
      await sandbox.files.write('/home/user/much', new Uint8Array(64 * 1_048_576 - 4_000_000).fill(1));
      const cloning = sandbox.git.clone({ url: server.url('/a.git'), directory });
      await expect(cloning).rejects.toMatchObject({ code: 'storage-full' });
      expect((await sandbox.run('ls -A')).stdout).toBe('much\n');
      await sandbox.run('rm much');
      await sandbox.git.clone({ url: server.url('/a.git'), directory });
    });

    test('I-3 a merge that there is no room for leaves all as it was, says nothing to the log of the process, and is made later', async () => {
      const log = vi.spyOn(console, 'error');
      await using sandbox = await Sandbox.create({ backend: shellBackend(), diskMiB: 64 });
      await sandbox.run(`git init -q project; cd project; echo a > a; ln -s a link; git add .
        git config user.name Ada; git config user.email ada@example.org; git commit -qm first; git switch -qc big
        for i in 1 2 3 4; do truncate -s 2M f$i; done; echo b > a; ln -sf b link; git add .; git commit -qm big; git switch -q main
        head -c 58M /dev/zero > ../much`);
      const look = () =>
        sandbox.run('ls; cat a; readlink link', { cwd: directory }).then(({ stdout }) => stdout);
      const before = [await sandbox.git.status({ directory }), await look()];
      for (const change of [sandbox.git.merge, sandbox.git.checkout]) {
        await expect(change.call(sandbox.git, { directory, ref: 'big' })).rejects.toMatchObject({
          code: 'storage-full',
        });
        expect([await sandbox.git.status({ directory }), await look()]).toEqual(before);
      }
      expect(log).not.toHaveBeenCalled();
      await sandbox.run('rm much');
      expect(await sandbox.git.merge({ directory, ref: 'big' })).toMatchObject({ kind: 'fast-forward' });
      expect((await sandbox.git.status({ directory })).files).toEqual([]);
      expect(await look()).toBe('a\nf1\nf2\nf3\nf4\nlink\nb\nb\n');
    });

    test('I-3 the commits of a repository come in where a link changes and a file becomes a directory', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      await sandbox.run(`git init -q project; cd project; git config user.name Ada; git config user.email ada@example.org
        echo a > a; ln -s a link; git add .; git commit -qm first
        rm a link; mkdir a; echo b > a/b; ln -s a/b link; git add .; git commit -qm second`);
      const { snapshots } = await importGit(sandbox, { directory });
      const links: (string | undefined)[] = [];
      for (const at of snapshots.values()) {
        links.push((await sandbox.files.stat(`${directory}/link`, { at })).target);
      }
      expect(links).toEqual(['a', 'a/b']);
      expect(await sandbox.git.status({ directory })).toMatchObject({ branch: 'main', files: [] });
    });

    test('I-3 the history of a repository on a server comes in as snapshots', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      const { snapshots } = await importGit(sandbox, { url: server.url('/a.git'), directory });
      const contents: string[] = [];
      for (const at of snapshots.values())
        contents.push(await sandbox.files.read(`${directory}/file`, { at }));
      expect(contents).toEqual(['one\n']);
      const again = importGit(sandbox, { url: server.url('/a.git'), directory });
      await expect(again).rejects.toMatchObject({ code: 'already-exists' });
    });

    test('I-3 a clone that fails leaves no change for the history', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      const { id } = await sandbox.createSnapshot();
      const ls = () => sandbox.run('stat -c %y .').then(({ stdout }) => stdout);
      const before = await ls();
      await expect(sandbox.git.clone({ url: server.url('/none.git'), directory })).rejects.toMatchObject({
        code: 'not-found',
      });
      expect(await ls()).toBe(before);
      expect(await sandbox.diff(id, 'now')).toEqual([]);
    });

    test('H-5 going back ends a clone, and nothing of it is written afterwards', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      const { id } = await sandbox.createSnapshot();
      const asked = Promise.withResolvers<() => void>();
      server.answer = (request, response) => {
        if (request.method === 'POST') asked.resolve(() => response.destroy());
        return request.method === 'POST';
      };
      const cloning = sandbox.git.clone({ url: server.url('/a.git'), directory });
      cloning.catch(() => undefined);
      const end = await asked.promise;
      await sandbox.checkout(id);
      await expect(cloning).rejects.toMatchObject({ code: 'machine-failed' });
      end();
      expect((await sandbox.run('ls -A')).stdout).toBe('');
    });

    test('I-3 what git changes is a command of the history', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      await sandbox.git.clone({ url: server.url('/a.git'), directory });
      const commands = async () =>
        (await sandbox.history.log()).flatMap(({ cause }) =>
          cause.type === 'capture' ? cause.commands : [],
        );
      await expect.poll(commands).toContain('git clone');
    });

    test('I-3 through a bridge, the request goes to its proxy with its token, and nothing else', async () => {
      await using bridge = await openGitServer({ isPlain: true });
      bridge.answer = (_, response) => Boolean(response.writeHead(403).end('not listed'));
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      const proxy = { url: bridge.url('/'), token: 'secret' };
      const cloning = sandbox.git.clone({
        url: 'https://git.example.org/team/project.git',
        directory,
        proxy,
      });
      await expect(cloning).rejects.toMatchObject({ code: 'forbidden' });
      expect(bridge.requests.map(({ url, headers }) => [url, headers['x-coppice-token']])).toEqual([
        ['/git/git.example.org/team/project.git/info/refs?service=git-upload-pack', 'secret'],
      ]);
    });

    test('I-3 S-6 a server that leads to another one is not followed', async () => {
      await using other = await openGitServer({ isPlain: true });
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      server.answer = (request, response) => {
        response.writeHead(302, { location: other.url(request.url ?? '') }).end();
        return true;
      };
      const cloning = sandbox.git.clone({ url: server.url('/a.git'), directory });
      await expect(cloning).rejects.toMatchObject({
        code: 'forbidden',
        details: { location: other.url('/a.git') },
      });
      expect(other.requests).toEqual([]);
      server.answer = (request, response) => {
        if (request.url?.startsWith('/a.git')) return false;
        response.writeHead(301, { location: (request.url ?? '').replace('/old', '/a.git') }).end();
        return true;
      };
      await sandbox.git.clone({ url: server.url('/old'), directory });
      expect((await sandbox.run('cat project/file')).stdout).toBe('one\n');
      await sandbox.run('rm -r project');
      server.answer = (request, response) => {
        response.writeHead(302, { location: request.url }).end();
        return true;
      };
      const circling = sandbox.git.clone({ url: server.url('/a.git'), directory });
      await expect(circling).rejects.toMatchObject({ code: 'asset-unavailable' });
    });

    test('I-3 S-6 a host that lists servers has no other one asked, whatever the repository says', async () => {
      await using other = await openGitServer({ isPlain: true });
      const backend = shellBackend({ clientGitServers: [server.host] });
      await using sandbox = await Sandbox.create({ backend });
      await sandbox.git.clone({ url: server.url('/a.git'), directory });
      for (const setting of ['url', 'pushurl']) {
        await sandbox.run(`git config remote.origin.${setting} ${other.url('/a.git')}`, { cwd: directory });
        const pushing = sandbox.git.push({ directory });
        await expect(pushing).rejects.toMatchObject({ code: 'forbidden' });
      }
      await expect(sandbox.git.fetch({ directory })).rejects.toMatchObject({ code: 'forbidden' });
      const cloning = sandbox.git.clone({ url: other.url('/a.git'), directory: `${directory}-2` });
      await expect(cloning).rejects.toMatchObject({ code: 'forbidden' });
      expect(other.requests).toEqual([]);
    });

    test('I-3 a changed mode, and a directory where a file was, are staged and committed; ignored files are not', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      await sandbox.run(
        'git init project; cd project; echo x > tool; echo y > part; echo "*.log" > .gitignore',
      );
      await sandbox.git.add({ directory });
      await sandbox.git.commit({ directory, message: 'first', author });
      await sandbox.run('chmod +x tool; rm part; mkdir part; echo z > part/new; echo > part/x.log', {
        cwd: directory,
      });
      const statuses = async () =>
        (await sandbox.git.status({ directory })).files.map(
          ({ path, staged, unstaged }) => `${path}: ${staged}, ${unstaged}`,
        );
      expect(await statuses()).toEqual([
        'part: unchanged, deleted',
        'part/new: unchanged, untracked',
        'tool: unchanged, modified',
      ]);
      await sandbox.git.add({ directory });
      expect(await statuses()).toEqual([
        'part: deleted, unchanged',
        'part/new: added, unchanged',
        'tool: modified, unchanged',
      ]);
      await sandbox.git.commit({ directory, message: 'second', author });
      expect(await statuses()).toEqual([]);
      const { patch } = await sandbox.git.diff({ directory, from: 'HEAD~1', to: 'HEAD' });
      expect(patch).toContain('new mode 100755');
      expect(patch).toContain('+++ b/part/new');
      expect(patch).not.toContain('x.log');
      const again = sandbox.git.commit({ directory, message: 'third', author });
      await expect(again).rejects.toMatchObject({ code: 'invalid-argument' });
    });

    test('I-3 what is added and committed is as real git has it, in whatever order its names sort', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      const names = ['a', 'a-b', 'a.b', 'a/b', 'a0', 'é', 'Ω/ω', 'z/y/x', 'z.y', 'z-'];
      const script = `git init -q -b main project; cd project
        mkdir -p a Ω z/y old; for name in a-b a.b a/b a0 é Ω/ω z/y/x z.y z-; do echo "$name" > "$name"; done
        echo gone > old/file; ln -s a-b link; echo run > run; chmod +x run; echo skipped > skipped; echo skipped > .gitignore`;
      await sandbox.run(script);
      await sandbox.git.add({ directory, paths: ['z/y/x', 'old', 'a'] });
      await sandbox.git.commit({ directory, message: 'some', author });
      await sandbox.git.add({ directory });
      await sandbox.git.commit({ directory, message: 'all', author });
      await sandbox.run('rm -r old a-b; mkdir a-b; echo inside > a-b/file; echo changed > z/y/x', {
        cwd: directory,
      });
      await sandbox.git.add({ directory });
      const { id } = await sandbox.git.commit({ directory, message: 'changed', author });
      expect((await sandbox.git.status({ directory })).files).toEqual([]);
      await sandbox.run('git remote add origin x', { cwd: directory });
      await onServer(
        'git init --quiet --bare --initial-branch=main made.git; git -C made.git config http.receivepack true',
      );
      await sandbox.run(`git remote set-url origin ${server.url('/made.git')}`, { cwd: directory });
      await sandbox.git.push({ directory });
      const made = await onServer(
        `git -C made.git fsck --strict --full; git -C made.git -c core.quotePath=false ls-tree -r --name-only ${id}`,
      );
      const kept = [
        '.gitignore',
        'a-b/file',
        'link',
        'run',
        ...names.filter((name) => !['a', 'a-b'].includes(name)),
      ];
      expect(made.stdout.trim().split('\n').sort()).toEqual(kept.sort());
    });

    test('I-3 H-8 a file that git does not read whole is named, with the limit', async () => {
      await using sandbox = await Sandbox.create({ backend: shellBackend() });
      await sandbox.run('git init project; truncate -s 268435457 project/large');
      await expect(sandbox.git.add({ directory })).rejects.toMatchObject({
        code: 'limit-exceeded',
        details: { path: `${directory}/large` },
      });
    });
  });
});
