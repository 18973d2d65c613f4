import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
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
  text.replaceAll(/\b[0-9a-f]{40}\b/g, 'ID').replaceAll(/\b[0-9a-f]{7}\b/g, 'id');

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
      'diff --git a/file b/file\nindex id..id 100644\n--- a/file\n+++ b/file\n@@ -1 +1,2 @@\n one\n+two\n## main\n M file\n?? d/\n',
    );
    expect(await sh('cd p/d; git status -s; git rev-parse --show-toplevel --abbrev-ref HEAD')).toBe(
      ' M ../file\n?? ./\n/home/user/p\nmain\n',
    );
    expect(
      plain(
        await sh(
          'cd p; git checkout -b work; git add -A; git commit -qam second; git log --oneline; git branch',
        ),
      ),
    ).toBe("M\tfile\nid second\nid first\n  main\n* work\nSwitched to a new branch 'work'\n");
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
      'Updating id..id\nFast-forward\n file | 1 +\n 1 file changed, 1 insertion(+)\nthree\n',
    );
  });

  test('I-3 commits of both sides are merged, and what both have changed is marked', async () => {
    await sh(
      `git init -q p; cd p; echo one > a; echo one > b; git add .; git commit -qm first; git switch -qc work
      echo work > a; git commit -qam work; git switch -q main; echo main > b; git commit -qam main`,
    );
    expect(await sh('cd p; git merge work; cat a b; git log -1 --format=%s; git merge work')).toBe(
      "Merge made by the 'ort' strategy.\n a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\nwork\nmain\nMerge branch 'work'\nAlready up to date.\n",
    );
    await sh(
      'cd p; echo more > b; git commit -qam more; git switch -q work; echo less > b; git commit -qam less',
    );
    expect(await sh('cd p; git merge --ff-only main')).toMatch(
      /^fatal: Not possible to fast-forward, aborting\.\nexit 128\n$/,
    );
    expect(await sh('cd p; git merge main; cat b; git status -s')).toBe(
      'Auto-merging b\nCONFLICT (content): Merge conflict in b\nAutomatic merge failed; fix conflicts and then commit the result.\n' +
        '<<<<<<< HEAD\nless\n=======\nmore\n>>>>>>> main\nUU b\n',
    );
  });

  test('I-3 a merge takes a message and makes a commit where it is told to; none is under way after it', async () => {
    await sh(
      'git init -q p; cd p; echo 1 > a; git add .; git commit -qm first; git switch -qc work; echo 2 > a; git commit -qam work; git switch -q main',
    );
    expect(
      await sh(
        "cd p; git merge --no-ff -m 'took work' -m why work; git log -1 --format=%B; git rev-parse HEAD^1 HEAD^2 | wc -l; cat a; git status -s",
      ),
    ).toBe(
      "Merge made by the 'ort' strategy.\n a | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\ntook work\n\nwhy\n\n2\n2\n",
    );
    expect(await sh('cd p; git merge --abort')).toBe(
      'fatal: There is no merge to abort (MERGE_HEAD missing).\nexit 128\n',
    );
    expect(await sh('cd p; git merge --continue')).toBe(
      'fatal: There is no merge in progress (MERGE_HEAD missing).\nexit 128\n',
    );
    expect(await sh('cd p; git pull --rebase')).toMatch(/does not appear to be a git repository/);
  });

  test('I-3 reset and checkout of paths put back links, and files where directories are, and keep what git does not know', async () => {
    await sh(
      'git init -q p; cd p; ln -s one l; echo first > a; mkdir d; echo x > d/x; git add .; git commit -qm first; git tag v1',
    );
    await sh(
      'cd p; ln -sf two l; rm -r a d; mkdir a; echo y > a/y; echo file > d; git add .; git commit -qm second; echo mine > mine',
    );
    const look = "readlink l; find . -path ./.git -prune -o -type f -printf '%P\\n' | sort; git status -s";
    expect(await sh(`cd p; git checkout v1 -- .; ${look}`)).toEqual(
      expect.stringMatching(
        /^one\na\nd\/x\nmine\nA {2}a\nD {2}a\/y\nD {2}d\nA {2}d\/x\nM {2}l\n\?\? mine\nUpdated 3 paths from \w{7}\n$/,
      ),
    );
    expect(await sh(`cd p; git reset -q --hard; ${look}`)).toBe('two\na/y\nd\nmine\n?? mine\n');
    expect(await sh(`cd p; git reset -q --hard v1; ${look}`)).toBe('one\na\nd/x\nmine\n?? mine\n');
    expect(await sh(`cd p; rm -r a d; mkdir a; echo z > a/z; ln -s / d; git reset -q --hard; ${look}`)).toBe(
      'one\na\nd/x\nmine\n?? mine\n',
    );
  });

  test('I-3 a file whose mode alone has changed is shown, as it is staged, unstaged and removed', async () => {
    await sh('git init -q p; cd p; echo one > a; echo one > b; git add .; git commit -qm first');
    expect(await sh('cd p; chmod +x a; git status --short; git rm b; git rm a')).toBe(
      " M a\nrm 'b'\nerror: the following file has local modifications:\n    a\n(use --cached to keep the file, or -f to force removal)\nexit 1\n",
    );
    expect(
      await sh(
        'cd p; git add a; git status --short; chmod -x a; git status --short; git restore --staged a; git status --short',
      ),
    ).toBe('M  a\nD  b\nMM a\nD  b\nD  b\n');
    expect(await sh('cd p; chmod +x a; git commit -qam second; git status --short')).toBe('');
  });

  test('I-3 what was done is undone: restore, reset, rm, mv, tag', async () => {
    await sh('git init -q p; cd p; echo one > a; echo one > b; git add .; git commit -qm first; git tag v1');
    expect(
      await sh('cd p; echo two > a; git add a; git restore --staged a; git status -s; git restore a; cat a'),
    ).toBe(' M a\none\n');
    expect(await sh('cd p; git mv a c; git rm -q b; git status -s; git reset --hard; ls; git tag')).toMatch(
      /^D {2}b\nR {2}a -> c\nHEAD is now at \w{7} first\na\nb\nv1\n$/,
    );
    expect(
      await sh(
        'cd p; echo two > a; git commit -qam second; git reset -q --soft HEAD~1; git status -s; git checkout v1 -- a; cat a',
      ),
    ).toMatch(/^M {2}a\none\nUpdated 1 path from \w{7}\n$/);
    expect(await sh('cd p; git checkout -q v1; git branch; git rev-parse --verify -q none')).toMatch(
      /^\* \(HEAD detached at v1\)\n {2}main\nexit 1\n$/,
    );
  });

  test('I-3 S-6 commands reach no server that is not listed, and no file', async () => {
    await using other = await openGitServer({ isPlain: true });
    const refused = await sh(
      `git clone ${other.url('/a.git')} x; git clone file:///home x; git clone http://127.0.0.1/a x`,
    );
    expect(refused.match(/fatal: unable to access/g)).toHaveLength(2);
    expect(refused).toMatch(/'file:\/\/\/home' does not appear to be a git repository/);
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
      'On branch main\n\nInitial commit\n\nnothing to commit (create/copy files and use "git add" to track)\nexit 1\n',
    );
    expect(await sh('cd p; git add ../../etc/passwd')).toMatch(/outside repository/);
    expect(await sh('cd p; git checkout nope')).toBe(
      "error: pathspec 'nope' did not match any file(s) known to git\nexit 1\n",
    );
  });

  test('I-3 S-6 a push goes to no server that is not listed, by no other setting and no other spelling', async () => {
    await using other = await openGitServer({ isPlain: true });
    await sh(
      `git init -q p; cd p; echo 1 > 1; git add .; git commit -qm 1; git remote add origin ${server.url('/a.git')}`,
    );
    await sh(`cd p; git config remote.origin.pushurl ${other.url('/a.git')}`);
    expect(await sh('cd p; git push')).toMatch(/unable to access/);
    await sh(
      `cd p; git config --unset remote.origin.pushurl; git config remote.origin.url 'http://${other.host}\\@${server.host}/a.git'`,
    );
    expect(await sh('cd p; git push; git fetch')).toMatch(/unable to access[\s\S]*unable to access/);
    expect(other.requests).toEqual([]);
  });

  test('I-3 H-8 a revision holds the thread no longer than the history is', async () => {
    await sh('git init -q p; cd p; for i in 1 2 3; do git commit -q --allow-empty -m $i; done');
    expect(await sh("cd p; git log -1 --format=%s HEAD~2; git log -1 --format=%s 'HEAD^^'")).toBe('1\n1\n');
    expect(await sh('cd p; git rev-parse --verify HEAD~9999')).toMatch(/Needed a single revision/);
    expect(await sh('cd p; git rev-parse --verify HEAD~1000000000')).toMatch(/Needed a single revision/);
    expect(
      await sh(
        `cd p; many=$(head -c 200000 /dev/zero | tr '\\0' '~'); git rev-parse --verify "HEAD\${many}x"`,
      ),
    ).toMatch(/Needed a single revision/);
  });

  test('I-3 what would be lost is kept: a branch that is not merged, a remote branch that has moved', async () => {
    await run('git', [
      'init',
      '--quiet',
      '--bare',
      '--initial-branch=main',
      join(server.folder, 'lease.git'),
    ]);
    await run('git', ['-C', join(server.folder, 'lease.git'), 'config', 'http.receivepack', 'true']);
    const url = server.url('/lease.git');
    await sh(
      `git init -q p; cd p; echo 1 > 1; git add .; git commit -qm 1; git remote add origin ${url}; git push -q origin main`,
    );
    await sh('cd p; git checkout -qb work; echo 2 > 2; git add .; git commit -qm 2; git checkout -q main');
    expect(await sh('cd p; git branch -d work')).toMatch(
      /^error: The branch 'work' is not fully merged\.[\s\S]*exit 1\n$/,
    );
    expect(await sh('cd p; git branch same; git branch -d same; git branch -D work; git branch')).toMatch(
      /^Deleted branch same \(was \w{7}\)\.\nDeleted branch work \(was \w{7}\)\.\n\* main\n$/,
    );
    await sh(
      `git clone -q ${url} q; cd q; echo 3 > 3; git add .; git commit -qm theirs; git push -q origin main`,
    );
    await sh('cd p; git commit -q --amend -m mine');
    expect(await sh('cd p; git push --force-with-lease')).toMatch(/\[rejected\][\s\S]*exit 1\n$/);
    const last = async () =>
      (await run('git', ['-C', join(server.folder, 'lease.git'), 'log', '-1', '--format=%s', 'main'])).stdout;
    expect(await last()).toBe('theirs\n');
    await sh('cd p; git fetch; git push --force-with-lease');
    expect(await last()).toBe('mine\n');
  });

  test('I-3 what a command does not do, it refuses', async () => {
    await sh('git init -q p; cd p; echo 1 > a; echo 1 > b; git add .; git commit -qm first');
    expect(await sh('cd p; git reset --hard typo')).toMatch(
      /^fatal: ambiguous argument 'typo'[\s\S]*exit 128\n$/,
    );
    expect(await sh('cd p; echo 2 > a; git reset --hard a; cat a')).toBe(
      '2\nfatal: Cannot do hard reset with paths.\n',
    );
    expect(await sh('cd p; echo 2 > b; git add .; git commit -qm x a; git status -s')).toBe('M  b\n');
    for (const command of [
      'fetch --depth 1',
      'clone -n http://x/y z',
      'commit --fixup HEAD',
      'push --force-with-lease=main:1',
    ]) {
      expect(await sh(`cd p; git ${command}`), command).toMatch(/exit 129\n$/);
    }
  });

  test('I-3 who amends a commit is not its author, and a date that is none stops no log', async () => {
    await sh(
      'git init -q p; cd p; echo 1 > a; git add .; git commit -qm first --author="Bob <bob@example.org>"',
    );
    await sh('cd p; git commit -q --amend -m second');
    expect(await sh("cd p; git log --format='%an %ae %s'")).toBe('Bob bob@example.org second\n');
    const id = (await sh('cd p; git rev-parse HEAD')).trim();
    const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
    const text = `tree ${tree}\nparent ${id}\nauthor A <a@b> 99999999999999999 +0000\ncommitter A <a@b> 1 +0000\n\nlate\n`;
    const [oid, file] = looseObject('commit', text);
    await sandbox.files.makeDirectory(`/home/user/p/.git/objects/${oid.slice(0, 2)}`).catch(() => undefined);
    await sandbox.files.write(`/home/user/p/.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`, file);
    await sandbox.files.write('/home/user/p/.git/refs/heads/main', `${oid}\n`);
    expect(await sh("cd p; git log --format='%s %aI'")).toMatch(/^late 1970-\S+\nsecond 20\S+\n$/);
    expect(await sh('cd p; git log')).toMatch(/Date: {3}Thu Jan 1 00:00:00 1970/);
  });

  test('I-3 ignored files are added when they are forced; a log of paths has the commits that changed them', async () => {
    await sh(
      'git init -q p; cd p; echo "*.log" > .gitignore; mkdir d; echo 1 > x.log; echo 1 > d/y.log; echo 1 > a; git add .; git commit -qm first',
    );
    expect(await sh('cd p; git add x.log')).toMatch(
      /^The following paths are ignored[\s\S]*x\.log[\s\S]*exit 1\n$/,
    );
    expect(
      await sh('cd p; git status -s; git add -f x.log d; git status -s; git add -f .; git status -s'),
    ).toBe('A  d/y.log\nA  x.log\nA  d/y.log\nA  x.log\n');
    await sh(
      'cd p; git commit -qm second; echo 2 > a; git commit -qam third; git rm -q x.log; git commit -qm fourth',
    );
    expect(
      await sh(
        'cd p; git log --format=%s -- x.log; echo; git log --format=%s a; echo; git log -1 --format=%s HEAD~1 -- d',
      ),
    ).toBe('fourth\nsecond\n\nthird\nfirst\n\nsecond\n');
    expect(await sh('cd p; git log gone')).toMatch(/^fatal: ambiguous argument 'gone'/);
    expect(await sh('cd p; git show --stat --format=%s HEAD~3')).toMatch(/^first\n\n \.gitignore \| 1 \+\n/);
  });

  test('I-3 a graph is drawn of commits in a line as git draws it; and branches too', async () => {
    await sh('git init -q p; cd p; for n in 1 2 3; do echo $n > $n; git add .; git commit -qm "c$n"; done');
    expect(plain(await sh('cd p; git log --graph --oneline'))).toBe('* id c3\n* id c2\n* id c1\n');
    expect(plain(await sh('cd p; git log --graph --stat -2'))).toMatch(
      /^\* commit ID\n\| Author: .*\n\| Date: .*\n\| \n\| {5}c3\n\| \n\| {2}3 \| 1 \+\n\| {2}1 file changed.*\n\| \n\* commit ID\n(?:\| .*\n)+$/,
    );
    expect(await sh('cd p; git log --graph --format="%s%n%an"')).toBe(
      '* c3\n| Ada\n* c2\n| Ada\n* c1\n  Ada\n',
    );
    expect(await sh('cd p; git log --graph --reverse')).toMatch(/^fatal: options '--reverse' and '--graph'/);
    await sh('cd p; git switch -qc w HEAD~1; echo w > w; git add .; git commit -qm w; git switch -q main');
    const drawn = await sh('cd p; git log --graph --format=%s --all');
    expect(drawn).toMatch(/^\* (?:w|c3)\n\| \* (?:w|c3)\n\|\/ {2}\n\* c2\n\* c1\n$/);
  });
});

/** An object as git stores it in a file: its id, and the bytes. */
function looseObject(type: string, text: string): [id: string, bytes: Uint8Array] {
  const bytes = Buffer.from(`${type} ${Buffer.byteLength(text)}\0${text}`);
  return [createHash('sha1').update(bytes).digest('hex'), deflateSync(bytes)];
}
