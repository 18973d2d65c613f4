import { beforeEach, expect, test } from 'vitest';
import { Sandbox } from '../../../../sdk/sandbox.ts';
import { shellBackend } from '../../shell-backend.ts';

let sandbox: Sandbox;
const sh = async (script: string) => {
  const { stdout, stderr, exitCode } = await sandbox.run(`cd p; ${script}`);
  return `${stdout}${stderr}${exitCode === 0 ? '' : `exit ${exitCode}\n`}`;
};

beforeEach(async () => {
  sandbox = await Sandbox.create({ backend: shellBackend() });
  await sandbox.run(`git config --global user.name Ada; git config --global user.email ada@example.org
    git init -q p; cd p; mkdir d; echo one > a; echo x > d/b; echo '*.o' > .gitignore; git add .
    GIT_AUTHOR_DATE=2024-01-01T00:00:00Z GIT_COMMITTER_DATE='1704067200 +0000' git commit -qm first
    echo two >> a; git commit -qam 'second change'`);
  return () => sandbox.close();
});

test('I-3 a commit has the times that the environment gives', async () => {
  expect(await sh('git log -1 --format="%at %ad" HEAD~1')).toBe('1704067200 Mon Jan 1 00:00:00 2024 +0000\n');
  expect(await sh('GIT_AUTHOR_DATE=never git commit --allow-empty -m x')).toBe(
    'fatal: invalid date format: never\nexit 128\n',
  );
});

test('I-3 git lists what it knows, what it does not know and what is ignored', async () => {
  await sh('touch new d/n.o; rm d/b; echo more >> a');
  expect(
    await sh('git ls-files; echo; git ls-files -o --exclude-standard; git ls-files -m; git ls-files -d'),
  ).toBe('.gitignore\na\nd/b\n\nnew\na\nd/b\nd/b\n');
  expect(await sh('git check-ignore d/n.o a; git check-ignore a; git ls-files --error-unmatch nope')).toBe(
    "d/n.o\nerror: pathspec 'nope' did not match any file(s) known to git\nDid you forget to 'git add'?\nexit 1\n",
  );
});

test('I-3 git shows objects, trees, counts and the base of two branches', async () => {
  expect(await sh('git cat-file -p HEAD:a; git cat-file -t HEAD^{tree}; git cat-file -s HEAD~1:a')).toBe(
    'one\ntwo\ntree\n4\n',
  );
  expect(await sh('git ls-tree -r --name-only HEAD; git ls-tree HEAD d')).toMatch(
    /^\.gitignore\na\nd\/b\n040000 tree [0-9a-f]{40}\td\n$/,
  );
  expect(
    await sh('git rev-list --count HEAD; git rev-list --count HEAD~1..HEAD; git symbolic-ref --short HEAD'),
  ).toBe('2\n1\nmain\n');
  await sh('git switch -qc work HEAD~1; git commit -q --allow-empty -m work');
  expect(
    await sh(
      '[ $(git merge-base main work) = $(git rev-parse main~1) ] && git merge-base --is-ancestor main work',
    ),
  ).toBe('exit 1\n');
  expect(
    await sh('git log --all --oneline | cut -d" " -f2- | sort; git log --all --grep=^sec --format=%s'),
  ).toBe('first\nsecond change\nwork\nsecond change\n');
  expect(await sh('git log --author=Ada --until=2024-06-01 --format=%s; git branch -v | cut -c1-7')).toBe(
    'first\n  main \n* work \n',
  );
  expect(await sh("git log --grep='['")).toMatch(/^fatal: command line, '\[': .*\nexit 128\n$/);
});

test('I-3 a diff is counted by file and as a whole', async () => {
  expect(
    await sh('git diff --numstat HEAD~1; git diff --shortstat HEAD~1; git log -1 --numstat --format=%s'),
  ).toBe('1\t0\ta\n 1 file changed, 1 insertion(+)\nsecond change\n\n1\t0\ta\n');
});

test('I-3 a dash is the branch that was checked out before', async () => {
  expect(await sh('git switch -')).toBe('fatal: invalid reference: @{-1}\nexit 128\n');
  expect(
    await sh('git switch -qc work; git checkout -; git switch -; tail -1 .git/logs/HEAD | cut -f2'),
  ).toBe("checkout: moving from main to work\nSwitched to branch 'main'\nSwitched to branch 'work'\n");
});

test('I-3 clean removes what git does not know, and keeps what is ignored', async () => {
  await sh('mkdir -p e/f d/g; touch new e/f/x e/keep.o d/g/y');
  expect(await sh('git clean')).toBe('fatal: neither -n nor -f given; refusing to clean\nexit 128\n');
  expect(await sh('git clean -n; git clean -nd')).toBe(
    'Would remove new\nWould remove d/g/\nWould remove e/\nWould remove new\n',
  );
  expect(await sh('git clean -fdq; find . -path ./.git -prune -o -print | sort')).toBe(
    '.\n./.gitignore\n./a\n./d\n./d/b\n./e\n./e/keep.o\n',
  );
});

test('I-3 clean leaves repositories in the working tree alone, unless it is forced twice', async () => {
  await sh(
    'for n in nested o/p; do git init -q $n; echo x > $n/p; git -C $n add .; git -C $n commit -qm p; done; touch o/f',
  );
  expect(await sh('git clean -nd; git clean -fd; ls -A nested o/p o')).toBe(
    'Would skip repository nested/\nWould skip repository o/p/\nWould remove o/\n' +
      'Skipping repository nested/\nSkipping repository o/p/\nRemoving o/\n' +
      'nested:\n.git\np\n\no:\np\n\no/p:\n.git\np\n',
  );
  expect(await sh('git clean -ffd; ls -d nested o')).toMatch(
    /^Removing nested\/\nRemoving o\/\nls: .*\nls: .*\n/,
  );
});

test('I-3 rev-list counts all branches, leaves out what a range does', async () => {
  await sh('git switch -qc work HEAD~1; git commit -q --allow-empty -m work; git switch -q main');
  expect(
    await sh(
      'git rev-list --all --count; git rev-list --count work..main; git rev-list --count main ^work; git rev-list --all -1 | wc -l',
    ),
  ).toBe('3\n1\n1\n1\n');
  expect(
    await sh('[ "$(git rev-list --reverse main | head -1)" = $(git rev-parse main~1) ] && git log -n x'),
  ).toBe("fatal: 'x': not an integer\nexit 128\n");
  expect(await sh('git rev-list --max-count=x HEAD')).toBe("fatal: 'x': not an integer\nexit 128\n");
  expect(await sh('git rev-list --left-right --count main...work')).toBe('1\t1\n');
});

test('I-3 what the git of a shell does not have is said, with what to do instead', async () => {
  expect(await sh('git apply x')).toMatch(
    /^git: the git of a shell has no 'apply'\.\nhint: Use patch .*\nhint: A machine or a host has all of git: .*\nexit 1\n$/,
  );
  expect(await sh('git stsh')).toBe("git: 'stsh' is not a git command. See 'git --help'.\nexit 1\n");
});
