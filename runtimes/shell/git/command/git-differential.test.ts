import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sandbox } from '../../../../sdk/sandbox.ts';
import { whatGitLacks } from '../../../../test/http/git-server.ts';
import { runsLong } from '../../../../test/runs-long.ts';
import { shellBackend } from '../../shell-backend.ts';

const run = promisify(execFile);
const lack = await whatGitLacks();

/** Branches, a merge, a rename, tags, a conflict to come, and a remote by its path. */
const makesRepositories = `
  mkdir -p .config/git; touch .config/git/config; git config --global user.name Ada; git config --global user.email ada@example.org; git config --global init.defaultBranch main
  T=1767225600
  c() { T=$((T+3600)); GIT_AUTHOR_DATE="$T +0000" GIT_COMMITTER_DATE="$T +0000" git commit -q "$@"; }
  git init -q --bare remote.git; git init -q repo; cd repo; git remote add origin ../remote.git
  mkdir src docs; printf 'def first():\\n    a = 1\\n    b = 2\\n    c = 3\\n    d = 4\\n    return a\\n\\n\\ndef second():\\n    return 2\\n' > src/app.py
  seq 1 40 > numbers; printf '*.log\\n' > .gitignore; git add .; c -m 'Initial commit'; git tag v0.1
  printf 'one\\ntwo\\nthree\\nfour\\n' > docs/guide.md; git add .; c -m 'Add guide' -m 'With a body.'
  git checkout -q -b feature; sed -i 's/^3$/three/' numbers; c -am 'Spell three'
  git checkout -q main; sed -i 's/^30$/thirty/' numbers; c -am 'Spell thirty'
  GIT_AUTHOR_DATE="$T +0000" GIT_COMMITTER_DATE="$T +0000" git merge -q --no-ff -m 'Merge feature' feature
  GIT_COMMITTER_DATE="$T +0000" git tag -a v1.0 -m 'Release 1.0'
  git mv docs/guide.md docs/manual.md; printf 'five\\n' >> docs/manual.md; c -am 'Rename guide'
  git checkout -q -b conflict; sed -i 's/^10$/ten/' numbers; c -am 'Ten on conflict'; echo only > only; git add .; c -m 'Another'
  git checkout -q main; sed -i 's/^10$/TEN/' numbers; c -am 'Ten on main'
  git checkout -q -b topic HEAD~1; echo 1 > topic.txt; git add .; c -m 'Topic one'; echo 2 >> topic.txt; c -am 'Topic two'
  git checkout -q main; git push -q -u origin main topic 2>/dev/null
  sed -i 's/c = 3/c = 33/' src/app.py; c -am 'Change c'`;

const changed =
  "echo more >> docs/manual.md; git add .; sed -i 's/return 2/return 22/' src/app.py; echo new > new; ";

/** What people and agents type. Each begins in a fresh copy; what it prints, its status and the repository afterwards are real git's. */
const lines = [
  'git log --oneline --graph --all --decorate; git log -2 --stat; git log main..topic --format="%h %an %ad %s%d" --date=iso',
  'git log -S thirty --oneline; git log --follow --format=%s docs/manual.md; git log main...conflict --left-right --oneline; git log --oneline -- numbers',
  'git show v1.0; git show --name-status; git show HEAD~3; git cat-file -p v1.0; git rev-parse "HEAD~2^{tree}" v1.0 v1.0^{} @{u}',
  'git diff main...topic; git diff v0.1 --stat -M; git diff HEAD~5 --name-status; git diff -U0 HEAD~1; git diff HEAD:numbers topic:numbers',
  `${changed}git status; git status -sb; git diff; git diff --staged --numstat; git diff HEAD --stat`,
  'git blame -L 1,6 src/app.py; git grep -n def; git describe --tags; git describe --always --dirty; git shortlog -sn HEAD',
  'git branch -vv; git branch --contains v1.0; git branch --merged; git show-ref --tags -d; git for-each-ref --format="%(refname:short) %(objecttype) %(subject)"; git ls-files -s',
  'git merge topic; git log --oneline --graph -4; git merge topic',
  'git merge conflict; git status; git diff; git diff HEAD; git ls-files -u; git merge --abort; git status -s',
  "git merge conflict; sed -i '/^[<=>]/d' numbers; git add numbers; git commit --no-edit; git log -1 --format='%P %s'",
  'git merge --squash topic; git status -s; git commit -m squashed; git log --oneline -1',
  'git cherry-pick topic~1 topic; git log --oneline -3; git revert --no-edit HEAD; git log -1 --format=%B',
  'git cherry-pick conflict~1; git status -s; echo TEN > numbers; git add .; git cherry-pick --continue; git log -1 --format="%an %s"',
  'git checkout -q topic; git rebase main; git log --oneline -3; git reflog -2 --format=%gs topic',
  'git checkout -q conflict; git rebase main; git status -s; echo both > numbers; git add .; git rebase --continue; git log --oneline -3; git status -sb',
  'git checkout -q conflict; git rebase main; git rebase --abort; git log --oneline -1; git status -sb',
  `${changed}git stash -u; git stash list; git status -s; git stash show --stat; git stash pop; git stash list`,
  `${changed}git stash; echo other > docs/manual.md; git commit -qam o; git stash pop; git status -s; git stash list`,
  `${changed}git commit -m 'Of the index'; git commit -qam rest --author='Eve <eve@example.org>'; git log -2 --format='%an %s'; git reflog -2`,
  `${changed}git reset; git status -s; git checkout -- src/app.py; git clean -fd; git reset --hard HEAD~1; git log --oneline -1`,
  `${changed}git checkout topic; git status -sb; git switch -; git checkout HEAD~1 -- numbers; git restore --staged numbers; git status -s`,
  'git rm -q numbers; git mv src/app.py app.py; git status -s; git commit -m moved; git log --follow --oneline app.py',
  'git push; git push origin HEAD:refs/heads/other; git push -q origin :topic; git ls-remote --heads origin; git status -sb',
  'cd ..; git clone -q remote.git copy; cd copy; git log --oneline -1; git status -sb; echo x > x; git add .; git commit -qm x; git push -q; cd ../repo; git pull --rebase -q; git log --oneline -2',
];

/** All that a repository holds, as real git sees it. */
const looks = `export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
  for each in */; do cd "$each"; git rev-parse HEAD; git symbolic-ref -q HEAD; git for-each-ref --format='%(refname) %(objectname)'; git fsck --strict --no-dangling 2>&1 | grep -v '^notice'
  if [ -e .git ]; then git status --porcelain; git ls-files -s; git stash list; ls .git | grep -E 'MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|rebase'; fi; cd ..; done; true`;
const dates = { GIT_AUTHOR_DATE: '1767400000 +0000', GIT_COMMITTER_DATE: '1767400000 +0000' };

let folder: string;
let tar: string;
const env = (home: string) => ({
  PATH: process.env.PATH,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_EDITOR: ':',
  ...dates,
});

describe.skipIf(lack)(`git of a shell beside real git${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'git-beside-'));
    const home = join(folder, 'home');
    await run('mkdir', [home]);
    await run('bash', ['-c', makesRepositories], { cwd: home, env: env(home) });
    tar = join(folder, 'home.tar');
    await run('tar', ['-C', home, '-cf', tar, '.']);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // Each takes a second or two, most of it real git's.
  test.each(runsLong ? lines : lines.filter((_, index) => index % 2 === 0))(
    'I-3 as real git: %s',
    async (line) => {
      const [real, ours] = [await realGit(line), await shellGit(line)];
      expect(ours.said).toBe(real.said);
      expect(ours.state).toBe(real.state);
    },
  );
});

async function realGit(line: string): Promise<{ said: string; state: string }> {
  const home = await mkdtemp(join(folder, 'real-'));
  await run('tar', ['-C', home, '-xf', tar]);
  const script = `(${line}) 2>/dev/null; echo "exit $?"`;
  const { stdout } = await run('bash', ['-c', script], { cwd: join(home, 'repo'), env: env(home) });
  return { said: stdout, state: await stateOf(home) };
}

async function shellGit(line: string): Promise<{ said: string; state: string }> {
  await using sandbox = await Sandbox.create({ backend: shellBackend() });
  const { readFile } = await import('node:fs/promises');
  const bytes = await readFile(tar);
  await sandbox.importTar(pieces(bytes), { path: '/home/user' });
  const { stdout, exitCode } = await sandbox.run(line, { cwd: '/home/user/repo', envs: dates });
  const home = await mkdtemp(join(folder, 'ours-'));
  const parts: Uint8Array[] = [];
  for await (const part of await sandbox.exportTar({ path: '/home/user' })) parts.push(part);
  await writeFile(join(home, 'out.tar'), Buffer.concat(parts));
  await run('tar', ['-C', home, '--no-same-owner', '-xf', join(home, 'out.tar')]);
  return { said: `${stdout}exit ${exitCode}\n`, state: await stateOf(home) };
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function stateOf(home: string): Promise<string> {
  const { stdout } = await run('bash', ['-c', looks], { cwd: home, env: env(home) });
  return stdout;
}
