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
    git init -q p; cd p; echo one > a; git add .; git commit -qm first; git tag -a v1 -m 'The first'
    git switch -qc work; echo work > w; git add .; git commit -qm work; git switch -q main; echo main > m; git add .; git commit -qm main`);
  return () => sandbox.close();
});

test('I-3 three dots compare with what both come from, two with the other side', async () => {
  expect(await sh('git diff --name-only main...work; echo; git diff --name-only main..work')).toBe(
    'w\n\nm\nw\n',
  );
});

test('I-3 an annotated tag is an object of its own, until a name says to follow it', async () => {
  expect(
    await sh(
      '[ $(git rev-parse v1) != $(git rev-parse v1^{}) ] && [ $(git rev-parse v1^{commit}) = $(git rev-parse main~1) ] && git cat-file -t v1',
    ),
  ).toBe('tag\n');
  expect(await sh('git cat-file -p v1 | sed "s/[0-9a-f]\\{40\\}/ID/; s/> .*/>/"')).toBe(
    'object ID\ntype commit\ntag v1\ntagger Ada <ada@example.org>\n\nThe first\n',
  );
  expect(await sh('git show -s --format=%s v1 | sed "s/^Date:.*/Date/"')).toBe(
    'tag v1\nTagger: Ada <ada@example.org>\nDate\n\nThe first\nfirst\n',
  );
  expect(await sh('git rev-parse HEAD~1^{tree} | wc -c; git cat-file -t HEAD~1^{tree}')).toBe('41\ntree\n');
});

test('I-3 a commit in a merge that real git began has both parents, and ends the merge', async () => {
  await sh(
    'git rev-parse work > .git/MERGE_HEAD; printf "Merge branch work\\n# a comment\\n" > .git/MERGE_MSG; echo w > w; git add w',
  );
  expect(await sh('git commit -aq --amend -m x')).toBe(
    'fatal: You are in the middle of a merge -- cannot amend.\nexit 128\n',
  );
  expect(
    await sh(
      '[ $(git rev-parse HEAD) = $(git rev-parse main) ] && git commit -aq && [ $(git rev-parse HEAD^2) = $(git rev-parse work) ] && git log -1 --format=%s; ls .git',
    ),
  ).toMatch(/^Merge branch work\n(?![\s\S]*MERGE_)/);
});

test('I-3 what is unmerged is named, and no commit is made of it', async () => {
  // An index as real git leaves it: the three sides of `a`.
  const row = (stage: number) => {
    const bytes = new Uint8Array(72);
    new DataView(bytes.buffer).setUint32(24, 0o100644);
    bytes.fill(stage, 40, 60);
    bytes.set([(stage << 4) | 0, 1, 0x61], 60);
    return bytes;
  };
  const header = new Uint8Array([0x44, 0x49, 0x52, 0x43, 0, 0, 0, 2, 0, 0, 0, 3]);
  const body = Buffer.concat([header, row(1), row(2), row(3)]);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', body));
  await sandbox.files.write('/home/user/p/.git/index', Buffer.concat([body, digest]));
  const said = await sh('git commit -m x; git add m');
  expect(said).toMatch(/^U\ta\nerror: Committing is not possible because you have unmerged files\.\n/);
  expect(said).not.toMatch(/toString/);
});

test('I-3 what is not done exactly is refused with the place that does it, and noted for a shell that moves', async () => {
  expect(await sh('git diff --word-diff')).toMatch(
    /^error: unknown option `word-diff'\nhint: A machine or a host has all of git: .*\nexit 129\n$/,
  );
  expect((await sandbox.run('cd p; git log -L1,2:a')).missing).toEqual(['git-log']);
  expect((await sandbox.run('cd p; git bisect start')).missing).toEqual(['git-bisect']);
  expect((await sandbox.run('cd p; git log nosuch')).missing).toBeUndefined();
});

test('I-3 what a merge, a rebase and a stash leave between commands is never lost, and aborts to what was', async () => {
  await sh('echo x > w; git add w; git commit -qm mine; echo dirty > m');
  const before = await sh('git rev-parse HEAD; cat m w; git status -s');
  expect(await sh('git merge work')).toMatch(/CONFLICT \(add\/add\): Merge conflict in w\n.*exit 1\n$/s);
  expect(await sh('git merge --abort; git rev-parse HEAD; cat m w; git status -s')).toBe(before);
  expect(await sh('git rebase work')).toMatch(
    /^error: cannot rebase: You have unstaged changes\.\n.*\nexit 1\n$/,
  );
  expect(
    await sh(
      'git stash -q; git rebase work; git rebase --abort; git stash pop -q; git rev-parse HEAD; cat m w; git status -s',
    ),
  ).toMatch(new RegExp(`${before}(?:error|hint|Could)[\\s\\S]*$`));
});

test('I-3 H-8 a hostile pattern holds no thread', async () => {
  const stars = '*a'.repeat(40);
  await sh(`echo "${stars}b" > .gitignore; touch ${'a'.repeat(200)}`);
  expect(await sh(`git status -s; git ls-files "${stars}b"; git branch --list '${stars}b'`)).toMatch(
    /^\?\? \.gitignore\n/,
  );
});

test('I-3 unstaging many files writes the index once', async () => {
  await sh('mkdir many; for i in $(seq 300); do echo $i > many/$i; done; git add many');
  expect(await sh('git reset -q; git status -s -uall | wc -l; git diff --cached --name-only')).toBe('300\n');
});

test('I-3 a change of the same length, as soon as git has ended, is a change', async () => {
  const script = `echo 0 > f; git add f; git commit -qm 0; git branch other; echo 1 > f; git commit -qam 1
    for i in $(seq 40); do git switch -q other; echo 2 > f; git diff --quiet && echo missed $i; git checkout -q f; git switch -q main; done`;
  expect(await sh(script)).toBe('');
});

test('I-3 bytes that are no UTF-8 are merged, compared and kept as they are', async () => {
  await sh(`printf 'caf\\351\\none\\ntwo\\n' > f; printf '\\357\\273\\277x\\ny\\nz\\n' > bom; git add .; git commit -qm f; git switch -q work; git merge -q main
    printf 'caf\\351\\none\\nTWO\\n' > f; printf '\\357\\273\\277x\\ny\\nZ\\n' > bom; git commit -qam theirs; git switch -q main
    printf 'CAF\\351\\none\\ntwo\\n' > f; printf '\\357\\273\\277X\\ny\\nz\\n' > bom; git commit -qam ours`);
  expect(await sh('git merge -q work >/dev/null; od -An -c f bom | tr -d " \\n"')).toBe(
    'CAF351\\none\\nTWO\\n357273277X\\ny\\nZ\\n',
  );
  expect(await sh('git diff main~1 -- f | tail -n +6 | od -An -c | tr -d " \\n"')).toBe(
    'CAF351\\none\\n-two\\n+TWO\\n',
  );
});

test('I-3 what two come from is not the nearest by steps', async () => {
  const said =
    await sh(`git switch -qc base; for i in 1 2 3 4; do echo $i > b$i; git add .; git commit -qm b$i; done
    git switch -qc left; for i in 1 2 3; do echo $i > l$i; git add .; git commit -qm l$i; done; git merge -q --no-edit work
    git switch -qc right base; for i in 1 2 3; do echo $i > r$i; git add .; git commit -qm r$i; done; git merge -q --no-edit work
    [ "$(git merge-base --all left right | sort)" = "$(git rev-parse base work | sort)" ] && git merge -q --no-edit left && ls | tr '\\n' ' '`);
  expect(said).toBe('a b1 b2 b3 b4 l1 l2 l3 m r1 r2 r3 w ');
});

test('I-3 of some paths, a merge leads to the side that it took, and what a colon leaves out is left out', async () => {
  await sh(
    `git switch -q work; echo same > s; git add .; git commit -qm theirs; git switch -q main; echo same > s; git add .; git commit -qm ours; git merge -q --no-edit work`,
  );
  expect(await sh('git log --format=%s -- s; git rev-list --count HEAD -- s')).toBe('ours\n1\n');
  expect(
    await sh(
      "git diff --name-only HEAD~2 -- . ':!s'; git ls-files -- ':(exclude)w' ':^m'; cd ..; mkdir p/d; cd p/d; git ls-files :/a",
    ),
  ).toBe('w\na\ns\n../a\n');
  expect(await sh("git log -- ':(icase)S'")).toMatch(
    /^fatal: the git of a shell knows no ':\(icase\)'.*\nhint: A machine/,
  );
});

test('I-3 names that are not ASCII are quoted, unless a setting says not to', async () => {
  await sh('mkdir ü; echo x > "ü/é"; git add .');
  expect(
    await sh(
      'git status -s; git -c core.quotePath=false status -s; git config core.quotepath off; git diff --cached --stat | head -1',
    ),
  ).toBe('A  "\\303\\274/\\303\\251"\nA  ü/é\n ü/é | 1 +\n');
});

test('I-3 a file is moved and removed as git does, or nothing is', async () => {
  await sh('echo more >> a; mkdir d');
  expect(await sh('git rm a nope; git rm a; git status -s')).toMatch(
    /^ M a\nfatal: pathspec 'nope'.*\nerror: the following file has local modifications:\n {4}a\n/,
  );
  expect(await sh('git mv -v a m d; git status -s; git diff --name-only')).toBe(
    'Renaming a to d/a\nRenaming m to d/m\nRM a -> d/a\nR  m -> d/m\nd/a\n',
  );
  expect(await sh('echo n > n; git add n; git mv n d/m; git mv -f n d/m; git status -s')).toBe(
    'RM a -> d/a\nA  d/m\nD  m\nfatal: destination exists, source=n, destination=d/m\n',
  );
});
