import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GitServer, gitUser, openGitServer } from '../http/git-server.ts';
import { agentId, containersOfTests } from './container/entry-container.ts';
import { whatOwnIdLacks } from './what-jails-lack.ts';

const execute = promisify(execFile);
const lack = await whatOwnIdLacks();
/** How often a container is killed while it is prepared. */
const kills = Number(process.env.COPPICE_KILLS ?? 2);

describe.skipIf(lack)(`a workspace of an entrypoint${lack ? ` (not here: ${lack})` : ''}`, () => {
  const containers = containersOfTests();
  const { at } = containers;
  let home = '';
  beforeAll(() => {
    home = at('home/agent');
  });

  describe('I-3 a workspace', () => {
    let first = '';
    const repository = () => at('repository');
    const git = async (...args: string[]) =>
      (await execute('git', ['-C', repository(), ...args])).stdout.trim();
    const settings = (more: Record<string, string> = {}) => ({
      WORKSPACE_PATH: at('work/space'),
      WORKSPACE_REPOSITORY: repository(),
      ...more,
    });
    beforeAll(async () => {
      await mkdir(repository());
      await git('init', '--quiet', '--initial-branch', 'main');
      await git('config', 'user.email', 'a@b');
      await git('config', 'user.name', 'a');
      await writeFile(at('repository/file'), 'one\n');
      await git('add', '.');
      await git('commit', '--quiet', '-m', 'one');
      first = await git('rev-parse', 'HEAD');
      await git('commit', '--quiet', '--allow-empty', '-m', 'two');
      // A hook of the repository's own, as a template or a copy would bring it.
      await writeFile(at('repository/.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${at('ran')}\n`, {
        mode: 0o755,
      });
    });

    test('is cloned at the commit that was asked for, as the user, and left alone by the next start', async () => {
      const script =
        'pwd; git rev-parse HEAD; stat -c %U .git file; git status --short; echo mine > file; ls .git/hooks';
      const begun = await containers.run(
        { settings: settings({ WORKSPACE_COMMIT: first }) },
        `cd $WORKSPACE_PATH; ${script}`,
      );
      expect(begun).toMatchObject({ stdout: `${at('work/space')}\n${first}\nagent\nagent\n` });
      expect(await containers.run({ settings: settings() }, 'cat $WORKSPACE_PATH/file')).toEqual({
        code: 0,
        stdout: 'mine\n',
        stderr: '',
      });
      expect(await readdir(at('work'))).toEqual(['space']);
      expect(await readdir(at())).not.toContain('ran');
    });

    test('at a branch can be worked on, and what is not there leaves nothing', async () => {
      const branch = await containers.run(
        { settings: settings({ WORKSPACE_COMMIT: 'main' }) },
        'cd $WORKSPACE_PATH; git branch --show-current',
      );
      expect(branch).toEqual({ code: 0, stdout: 'main\n', stderr: '' });
      await rm(at('work/space'), { recursive: true });
      for (const WORKSPACE_COMMIT of [
        'nowhere',
        // Git would take it, and it could mean another commit tomorrow.
        first.slice(0, 8),
        first.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      ]) {
        const ended = await containers.run({ settings: settings({ WORKSPACE_COMMIT }) }, 'echo ran');
        expect(ended).toMatchObject({
          code: 125,
          stdout: '',
          stderr: expect.stringContaining('WORKSPACE_COMMIT'),
        });
      }
      expect(await readdir(at('work'))).toEqual([]);
    });

    describe('from a server', () => {
      let server: GitServer;
      beforeAll(async () => {
        server = await openGitServer({ isPlain: true });
        await git('clone', '--quiet', '--bare', repository(), join(server.folder, 'plain.git'));
        // One whose submodule is a path of the container.
        await git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository(), 'sub');
        await git('commit', '--quiet', '-m', 'three');
        await git('clone', '--quiet', '--bare', repository(), join(server.folder, 'nested.git'));
        await git('reset', '--quiet', '--hard', 'HEAD^');
      });
      afterAll(() => server[Symbol.asyncDispose]());
      beforeEach(() => {
        server.answer = () => false;
      });

      test('has the commit, and nothing of what a hostile repository would have run or fetched', async () => {
        const from = settings({ WORKSPACE_REPOSITORY: server.url('/plain.git'), WORKSPACE_COMMIT: first });
        expect(
          await containers.run({ settings: from }, 'cd $WORKSPACE_PATH; git rev-parse HEAD; cat file'),
        ).toEqual({
          code: 0,
          stdout: `${first}\none\n`,
          stderr: '',
        });
        await rm(at('work/space'), { recursive: true });
        const nested = settings({ WORKSPACE_REPOSITORY: server.url('/nested.git') });
        expect(await containers.run({ settings: nested }, 'cd $WORKSPACE_PATH; ls . sub')).toMatchObject({
          stdout: '.:\nfile\nsub\n\nsub:\n',
        });
      });

      test('that wants a password has it from a file of root’s, and the agent has neither', async () => {
        await git('clone', '--quiet', '--bare', repository(), join(server.folder, 'private/own.git'));
        const secret = at('secret');
        await writeFile(secret, `${gitUser.name}:${gitUser.password}\n`, { mode: 0o600 });
        const own = settings({ WORKSPACE_REPOSITORY: server.url('/private/own.git') });
        expect(await containers.run({ settings: own }, 'echo ran')).toMatchObject({ code: 125, stdout: '' });
        const given = { ...own, WORKSPACE_CREDENTIALS: secret };
        const encoded = Buffer.from(`${gitUser.name}:${gitUser.password}`).toString('base64');
        const script = `cd $WORKSPACE_PATH; cat file; cat ${secret}; env | grep -c GIT_; grep -rc ${encoded} .git/config`;
        expect(await containers.run({ settings: given }, script)).toMatchObject({
          stdout: 'one\n0\n0\n',
          stderr: expect.stringMatching(/^cat: .*secret: Permission denied\n$/),
        });
      });

      test('that leads to another gets a password, and the other one does not', async () => {
        await using other = await openGitServer({ isPlain: true });
        await git('clone', '--quiet', '--bare', repository(), join(other.folder, 'moved.git'));
        server.answer = (request, response) => {
          response.writeHead(302, { location: other.url(request.url ?? '') }).end();
          return true;
        };
        await writeFile(at('secret'), `${gitUser.name}:${gitUser.password}\n`, { mode: 0o600 });
        const moved = settings({ WORKSPACE_REPOSITORY: server.url('/moved.git') });
        const given = { ...moved, WORKSPACE_CREDENTIALS: at('secret') };
        expect(await containers.run({ settings: given }, 'echo ran')).toMatchObject({
          code: 125,
          stdout: '',
          stderr: expect.stringContaining('no redirect is followed'),
        });
        expect(other.requests).toEqual([]);
        expect(await containers.run({ settings: moved }, 'cat $WORKSPACE_PATH/file')).toMatchObject({
          stdout: 'one\n',
        });
      });

      test('that takes too long, or during which the container ends, is not there', async () => {
        const { promise: asked, resolve } = Promise.withResolvers<void>();
        server.answer = () => {
          resolve();
          return true;
        };
        const slow = settings({ WORKSPACE_REPOSITORY: server.url('/plain.git') });
        expect(await containers.run({ settings: slow, until: asked }, 'echo ran')).toMatchObject({
          code: 143,
          stdout: '',
          stderr: expect.stringContaining('ended while WORKSPACE_REPOSITORY was being cloned'),
        });
        expect(
          await containers.run({ settings: { ...slow, WORKSPACE_TIMEOUT: '1' } }, 'echo ran'),
        ).toMatchObject({
          code: 125,
          stdout: '',
          stderr: expect.stringContaining('it takes longer than WORKSPACE_TIMEOUT allows'),
        });
        expect(await readdir(at('work'))).toEqual([]);
      });
    });

    test.each(['mounts', 'docker'] as const)(
      'I-4 of a session goes on in a new container with %s, whatever has become of the server',
      async (kind) => {
        const plain = settings({ DATA_PATH: at('data') });
        const own = { ...plain, SESSION_ID: 'one' };
        const write = 'cd $WORKSPACE_PATH; echo mine > mine; git status --short';
        expect(await containers.run({ kind, settings: own }, write)).toMatchObject({ stdout: '?? mine\n' });
        for (const name of ['home', 'work']) {
          await rm(at(name), { recursive: true });
          await mkdir(at(name));
        }
        const gone = { ...own, WORKSPACE_REPOSITORY: at('no-such-repository') };
        const read = 'cd $WORKSPACE_PATH; cat file mine; git status --short; git rev-parse HEAD';
        expect(await containers.run({ kind, settings: gone }, read)).toMatchObject({
          code: 0,
          stdout: `one\nmine\n?? mine\n${await git('rev-parse', 'HEAD')}\n`,
        });
        // Without the session the same container has what it would have had: nothing, and so a clone.
        expect(await containers.run({ kind, settings: plain }, 'ls $WORKSPACE_PATH')).toMatchObject({
          stdout: 'file\n',
        });
      },
    );

    test('needs git in the container, and says so', async () => {
      const script = 'mount --bind /dev/null "$(command -v git)"';
      const ended = await containers.run({ settings: settings(), script }, 'echo ran');
      expect(ended).toMatchObject({
        code: 125,
        stderr: expect.stringContaining('there is no git in this container'),
      });
    });

    test('on an empty volume is refused, as a volume cannot be moved into place', async () => {
      await mkdir(at('work/space'));
      const script = `mount -t tmpfs none ${at('work/space')}`;
      expect(await containers.run({ settings: settings(), script }, 'echo ran')).toMatchObject({
        code: 125,
        stderr: expect.stringMatching(/is an empty volume.*set WORKSPACE_PATH to a folder in it/),
      });
    });
  });

  describe.each(['mounts', 'docker'] as const)('I-4 a session in a container with %s', (kind) => {
    beforeEach(async () => {
      await mkdir(at('work/space'));
      await mkdir(home);
      await writeFile(at('work/space/file'), 'base\n');
      await execute('chown', ['-R', `${agentId}:${agentId}`, at('work/space'), home]);
    });
    const run = (session: string | undefined, agent: string) => {
      const settings = { WORKSPACE_PATH: at('work/space'), DATA_PATH: at('data') };
      return containers.run(
        { kind, settings: session ? { ...settings, SESSION_ID: session } : settings },
        agent,
      );
    };

    test('changes home and workspace at their paths, for itself alone, and goes on at the next start', async () => {
      const write =
        'test $PWD = $WORKSPACE_PATH; echo $?; cat file; echo $SESSION_ID > file; echo $SESSION_ID > ~/note; stat -c %U:%a . | head -1';
      const one = await run('one', write);
      expect(one).toMatchObject({ code: 0, stdout: '0\nbase\nagent:755\n' });
      expect(one.stderr).toMatch(
        kind === 'mounts' ? /^$/ : /is a link to a copy for the session "one", as nothing can be mounted/,
      );
      expect(await run('two', write)).toMatchObject({ stdout: '0\nbase\nagent:755\n' });
      expect(await run('one', 'cat $WORKSPACE_PATH/file ~/note')).toMatchObject({ stdout: 'one\none\n' });
      // Without one, it is as if there had been none.
      expect(await run(undefined, 'cat $WORKSPACE_PATH/file; ls ~')).toMatchObject({
        code: 0,
        stdout: 'base\n',
        stderr: '',
      });
      expect(await readFile(at('work/space/file'), 'utf8')).toBe('base\n');
      expect((await lstat(at('work/space'))).isDirectory()).toBe(true);
    });

    test('is of one container at a time', async () => {
      const { promise: other, resolve } = Promise.withResolvers<unknown>();
      const whenReady = (pid: number) => {
        resolve(run('one', 'echo ran').finally(() => process.kill(pid, 'SIGTERM')));
      };
      const settings = { WORKSPACE_PATH: at('work/space'), DATA_PATH: at('data'), SESSION_ID: 'one' };
      const first = containers.run({ kind, settings, whenReady }, 'echo ready; sleep 1000 & wait');
      expect(await other).toMatchObject({
        code: 125,
        stdout: '',
        stderr: expect.stringMatching(/in use by another container|A session has a copy/),
      });
      expect(await first).toMatchObject({ code: 143 });
      expect(await run('one', 'cat $WORKSPACE_PATH/file')).toMatchObject({ code: 0, stdout: 'base\n' });
    });
  });

  test('I-4 a folder of an image’s layer, which cannot be renamed, gives way to a session’s copy too', async () => {
    await mkdir(at('data/image/space'), { recursive: true });
    await writeFile(at('data/image/space/file'), 'base\n');
    await execute('chown', ['-R', `${agentId}`, at('data/image/space')]);
    for (const name of ['upper', 'work']) await mkdir(at('data', name));
    const layers = `lowerdir=${at('data/image')},upperdir=${at('data/upper')},workdir=${at('data/work')}`;
    const script = `mount -t overlay -o redirect_dir=off,${layers} none ${at('work')}`;
    const settings = { WORKSPACE_PATH: at('work/space'), DATA_PATH: at('data') };
    const run = (agent: string, more: Record<string, string>) =>
      containers.run({ settings: { ...settings, ...more }, script }, agent);
    const write = 'cd $WORKSPACE_PATH; cat file; echo $SESSION_ID > file';
    for (const before of ['base\n', 'one\n'])
      expect(await run(write, { SESSION_ID: 'one' })).toMatchObject({ code: 0, stdout: before });
    expect(await run('cat $WORKSPACE_PATH/file', {})).toEqual({ code: 0, stdout: 'base\n', stderr: '' });
  });

  test('I-4 a session goes on whether its container may mount or not, also in one whose workspace is a volume', async () => {
    const settings = { WORKSPACE_PATH: at('work/space'), DATA_PATH: at('data'), SESSION_ID: 'one' };
    const write = 'cd $WORKSPACE_PATH; echo $(cat file 2>/dev/null)x > file; cat file';
    expect(await containers.run({ kind: 'mounts', settings }, write)).toMatchObject({ stdout: 'x\n' });
    expect(await containers.run({ settings }, write)).toMatchObject({ stdout: 'xx\n' });
    const script = `mount -t tmpfs none ${at('work/space')}`;
    await rm(at('work/space'));
    await rename(at('work/space.coppice-base'), at('work/space'));
    expect(await containers.run({ kind: 'mounts', settings, script }, write)).toEqual({
      code: 0,
      stdout: 'xxx\n',
      stderr: '',
    });
  });

  test('I-2 I-3 I-4 killed at any instant of the preparation, the next start has all of it', {
    timeout: 120_000 + kills * 10_000,
  }, async () => {
    const repository = at('large');
    await mkdir(repository);
    const git = (...args: string[]) =>
      execute('git', ['-C', repository, '-c', 'user.email=a@b', '-c', 'user.name=a', ...args]);
    await git('init', '--quiet');
    for (let file = 0; file < 300; file++) await writeFile(join(repository, `file${file}`), `${file}\n`);
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'all');
    await mkdir(at('template/many'), { recursive: true });
    for (let file = 0; file < 300; file++) await writeFile(at(`template/many/${file}`), `${file}\n`);
    const settings = {
      WORKSPACE_PATH: at('work/space'),
      WORKSPACE_REPOSITORY: repository,
      HOME_TEMPLATE: at('template'),
      DATA_PATH: at('data'),
      SESSION_ID: 'one',
    };
    const count =
      'ls $WORKSPACE_PATH | wc -l; ls ~/many | wc -l; git -C $WORKSPACE_PATH status --short | head -3';
    const started = performance.now();
    expect(await containers.run({ settings }, count)).toMatchObject({ code: 0, stdout: '300\n300\n' });
    const wholeMs = performance.now() - started;
    for (let kill = 0; kill < kills; kill++) {
      for (const name of ['home', 'work', 'data']) await rm(at(name), { recursive: true, force: true });
      for (const name of ['home', 'work']) await mkdir(at(name));
      // From before the first step to the agent itself.
      const until = setTimeout((wholeMs * (kill + 0.5)) / kills);
      await containers.run({ settings, until, signal: 'SIGKILL' }, 'sleep 1000');
      const next = await containers.run({ settings }, count);
      expect({ kill, ...next }).toMatchObject({ kill, code: 0, stdout: '300\n300\n' });
    }
    expect(await readdir(at('home'))).toEqual(['agent', 'agent.coppice-base']);
    expect(await readdir(at('work'))).toEqual(['space', 'space.coppice-base']);
  });
});
