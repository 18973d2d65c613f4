import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Sandbox } from '../../../../sdk/sandbox.ts';
import { type GitServer, openGitServer, whatGitLacks } from '../../../../test/http/git-server.ts';
import { shellBackend } from '../../shell-backend.ts';

const lack = await whatGitLacks();
const run = promisify(execFile);

let server: GitServer;
let sandbox: Sandbox;
const sh = async (script: string) => {
  const { stdout, stderr, exitCode } = await sandbox.run(script);
  return `${stdout}${stderr}${exitCode === 0 ? '' : `exit ${exitCode}\n`}`;
};
/** Without ids and times, which differ. */
const plain = (text: string) =>
  text.replaceAll(/\b[0-9a-f]{40}\b/g, 'ID').replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{7}\b/g, 'id');

describe.skipIf(lack)(`the command git of a shell${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    server = await openGitServer({ isPlain: true });
    const env = { PATH: process.env.PATH, HOME: server.folder, GIT_CONFIG_NOSYSTEM: '1' };
    const script =
      'git init --quiet --bare --initial-branch=main a.git; git -C a.git config http.receivepack true';
    await run('sh', ['-ec', script], { cwd: server.folder, env });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    sandbox = await Sandbox.create({ backend: shellBackend({ gitServers: [server.host] }) });
    await sh('git config --global user.name Ada; git config --global user.email ada@example.org');
    return () => sandbox.close();
  });

  test('I-3 a day of an agent: init, add, commit, log, diff, branch, push, clone, pull', async () => {
    expect(
      plain(
        await sh('git init p; cd p; echo one > file; git status --short; git add .; git commit -m first'),
      ),
    ).toBe(
      'Initialized empty Git repository in /home/user/p/.git/\n?? file\n[main (root-commit) id] first\n 1 file changed, 1 insertion(+)\n create mode 100644 file\n',
    );
    expect(await sh('cd p; git status')).toBe('On branch main\nnothing to commit, working tree clean\n');
    expect(
      plain(await sh('cd p; echo two >> file; mkdir d; echo x > d/new; git diff; git status --porcelain -b')),
    ).toBe(
      'diff --git a/file b/file\nindex id..id 100644\n--- a/file\n+++ b/file\n@@ -1 +1,2 @@\n one\n+two\n## main\n M file\n?? d/new\n',
    );
    expect(await sh('cd p/d; git status -s; git rev-parse --show-toplevel --abbrev-ref HEAD')).toBe(
      ' M ../file\n?? new\n/home/user/p\nmain\n',
    );
    expect(
      plain(
        await sh(
          'cd p; git checkout -b work; git add -A; git commit -qam second; git log --oneline; git branch',
        ),
      ),
    ).toBe("id second\nid first\n  main\n* work\nSwitched to a new branch 'work'\n");
    expect(
      await sh(
        'cd p; git switch main; cat file; git switch -q work; git show --stat --format=%s; git diff --name-only main',
      ),
    ).toBe(
      "one\nsecond\n\n d/new | 1 +\n file  | 1 +\n 2 files changed, 2 insertions(+)\nd/new\nfile\nSwitched to branch 'main'\n",
    );
    const url = server.url('/a.git');
    expect(await sh(`cd p; git remote add origin ${url}; git push -u origin work; git remote -v`)).toBe(
      `branch 'work' set up to track 'origin/work'.\norigin\t${url} (fetch)\norigin\t${url} (push)\nTo ${url}\n * [new branch]      work -> work\n`,
    );
    expect(plain(await sh('cd p; git push origin main; git push origin main'))).toBe(
      `To ${url}\n * [new branch]      main -> main\nEverything up-to-date\n`,
    );
    expect(
      await run('git', ['-C', join(server.folder, 'a.git'), 'fsck', '--strict']).then(({ stdout }) => stdout),
    ).toBe('');
    expect(await sh(`git clone -q -b work ${url} q; cd q; cat file; git log --format='%an %s'`)).toBe(
      'one\ntwo\nAda second\nAda first\n',
    );
    await sh('cd p; echo three >> file; git commit -qam third; git push -q origin work');
    expect(plain(await sh('cd q; git pull; tail -1 file; git status -s'))).toBe(
      'Updating id..id\nFast-forward\nthree\n',
    );
  });

  test('I-3 what was done is undone: restore, reset, rm, mv, tag', async () => {
    await sh('git init -q p; cd p; echo one > a; echo one > b; git add .; git commit -qm first; git tag v1');
    expect(
      await sh('cd p; echo two > a; git add a; git restore --staged a; git status -s; git restore a; cat a'),
    ).toBe(' M a\none\n');
    expect(await sh('cd p; git mv a c; git rm -q b; git status -s; git reset --hard; ls; git tag')).toMatch(
      /^D {2}a\nD {2}b\nA {2}c\nHEAD is now at \w{7} first\na\nb\nv1\n$/,
    );
    expect(
      await sh(
        'cd p; echo two > a; git commit -qam second; git reset -q --soft HEAD~1; git status -s; git checkout v1 -- a; cat a',
      ),
    ).toBe('M  a\none\n');
    expect(await sh('cd p; git checkout -q v1; git branch; git rev-parse --verify -q none')).toMatch(
      /^\* \(HEAD detached at \w{7}\)\n {2}main\nexit 1\n$/,
    );
  });

  test('I-3 S-6 commands reach no server that is not listed, and no file', async () => {
    await using other = await openGitServer({ isPlain: true });
    const refused = await sh(
      `git clone ${other.url('/a.git')} x; git clone file:///home x; git clone http://127.0.0.1/a x`,
    );
    expect(refused.match(/fatal: unable to access/g)).toHaveLength(3);
    expect(other.requests).toEqual([]);
    await sh('git init -q p; cd p; echo 1 > 1; git add .; git commit -qm 1');
    await sh(
      `cd p; git remote add origin ${server.url('/a.git')}; sed -i 's#url = .*#url = ${other.url('/a.git')}#' .git/config`,
    );
    expect(await sh('cd p; git push; git fetch')).toMatch(/unable to access[\s\S]*unable to access/);
    expect(other.requests).toEqual([]);
  });

  test('I-3 mistakes are told as git tells them', async () => {
    expect(await sh('git status')).toBe(
      'fatal: not a git repository (or any of the parent directories): .git\nexit 128\n',
    );
    expect(await sh('git frobnicate')).toBe(
      "git: 'frobnicate' is not a git command. See 'git --help'.\nexit 1\n",
    );
    await sh('git init -q p');
    expect(await sh('cd p; git log')).toBe(
      "fatal: your current branch 'main' does not have any commits yet\nexit 128\n",
    );
    expect(await sh('cd p; git add none')).toBe("fatal: pathspec 'none' did not match any files\nexit 128\n");
    expect(await sh('cd p; git commit -m x')).toBe(
      'On branch main\nnothing to commit, working tree clean\nexit 1\n',
    );
    expect(await sh('cd p; git add ../../etc/passwd')).toMatch(/outside repository/);
    expect(await sh('cd p; git checkout nope')).toBe(
      "error: pathspec 'nope' did not match any file(s) known to git\nexit 1\n",
    );
  });
});
