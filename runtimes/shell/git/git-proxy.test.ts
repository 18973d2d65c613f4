import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { gitUser, openGitServer, whatGitLacks } from '../../../test/http/git-server.ts';
import { openTestBridge, testTokens } from '../../../test/http/test-bridge.ts';
import { shellBackend } from '../shell-backend.ts';

const lack = await whatGitLacks();
const run = promisify(execFile);
const directory = '/home/user/project';

describe.skipIf(lack)(`git through a bridge${lack ? ` (not here: ${lack})` : ''}`, () => {
  test('I-3 S-6 a private repository is cloned and pushed to through the proxy; another server is refused', async () => {
    await using server = await openGitServer();
    const script = `git init --quiet --bare --initial-branch=main private/a.git; git clone --quiet private/a.git work 2>/dev/null
      cd work; git checkout --quiet -b main; echo one > file; git add .
      git -c user.name=B -c user.email=b@c commit --quiet -m first; git push --quiet origin main`;
    const env = { PATH: process.env.PATH, HOME: server.folder, GIT_CONFIG_NOSYSTEM: '1' };
    await run('sh', ['-ec', script], { cwd: server.folder, env });
    const mayReach = (address: string) => address === '127.0.0.1';
    const git = { hosts: [server.host], ca: server.ca, resolve: async () => ['127.0.0.1'], mayReach };
    await using there = await openTestBridge({ git });
    await using sandbox = await Sandbox.create({ backend: shellBackend() });
    const proxy = { url: there.bridge.url, token: testTokens.one };
    const asked: string[] = [];
    const onCredentials = ({ origin }: { origin: string }) => {
      asked.push(origin);
      return { username: gitUser.name, password: gitUser.password };
    };
    await sandbox.git.clone({ url: server.url('/private/a.git'), directory, proxy, onCredentials });
    await sandbox.run('echo two > file', { cwd: directory });
    await sandbox.git.add({ directory });
    const author = { name: 'Ada', email: 'ada@example.org' };
    const { id } = await sandbox.git.commit({ directory, message: 'second', author });
    await sandbox.git.push({ directory, proxy, onCredentials });
    expect(
      (await run('git', ['-C', `${server.folder}/private/a.git`, 'rev-parse', 'main'])).stdout.trim(),
    ).toBe(id);
    expect(asked).toEqual([`https://${server.host}`, `https://${server.host}`]);
    expect(server.requests.every(({ headers }) => headers['x-coppice-token'] === undefined)).toBe(true);
    expect(
      (await sandbox.run(`grep -rlE '${gitUser.password}|${testTokens.one}|${there.bridge.url}' .; true`))
        .stdout,
    ).toBe('');

    const elsewhere = { url: 'https://elsewhere.example/a.git', directory: `${directory}-2`, proxy };
    await expect(sandbox.git.clone(elsewhere)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
