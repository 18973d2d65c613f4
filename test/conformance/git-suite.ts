import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Git } from '../../sdk/git.ts';
import { type GitServer, gitUser, openGitServer } from '../http/git-server.ts';
import { inLongRun, runsLong } from '../runs-long.ts';

const run = promisify(execFile);
const author = { name: 'Ada', email: 'ada@example.org' };

/** Where a git works: its directory for repositories, and a shell there. */
export interface GitBed extends AsyncDisposable {
  readonly git: Git;
  readonly home: string;
  /** Runs a script in `home`; resolves to what it prints. */
  sh(script: string): Promise<string>;
}

/** `first.git`, with two commits and a tag on `main`, a link, a program, and another branch. */
const makesRepository = `
  git init --quiet --bare --initial-branch=main first.git; git -C first.git config http.receivepack true
  git clone --quiet first.git work 2>/dev/null; cd work
  git config user.name Bob; git config user.email bob@example.org; git checkout --quiet -b main
  mkdir -p src; printf 'one\\n' > src/file; printf '#!/bin/sh\\necho ran\\n' > run; chmod +x run; ln -s src/file link
  git add .; git commit --quiet -m first; git tag v1
  printf 'two\\n' > src/file; git commit --quiet -am second; git push --quiet --tags origin main
  git checkout --quiet -b other; printf 'other\\n' > src/other; git add .; git commit --quiet -m other; git push --quiet origin other
  cd ..; rm -rf work`;

/** What git in a sandbox promises, whether it is a program or a library. `openBed` is asked for each test. */
export function gitSuite(
  openBed: () => Promise<GitBed>,
  { isProgram = false }: { readonly isProgram?: boolean } = {},
): void {
  /** Of what the program git does by itself, and a library is to do as well. */
  const libraryTest = isProgram ? inLongRun(test) : test;
  let server: GitServer;
  let bed: GitBed;
  let directory: string;
  beforeAll(async () => {
    server = await openGitServer({ isPlain: true });
    await onServer(makesRepository);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    server.answer = () => false;
    server.requests.length = 0;
    bed = await openBed();
    directory = `${bed.home}/project`;
    return () => bed[Symbol.asyncDispose]();
  });

  const env = () => ({ PATH: process.env.PATH, HOME: server.folder, GIT_CONFIG_NOSYSTEM: '1' });
  /** Real git, on the server. */
  const git = async (repository: string, ...args: string[]) =>
    (await run('git', ['-C', join(server.folder, repository), ...args], { env: env() })).stdout;
  const onServer = (script: string, ...args: string[]) =>
    run('sh', ['-ec', script, 'sh', ...args], { env: env(), cwd: server.folder });
  let made = 0;
  /** A copy of what `makesRepository` makes. */
  const makeRepository = async (above = '') => {
    const name = `${above}repository-${made++}.git`;
    await cp(join(server.folder, 'first.git'), join(server.folder, name), { recursive: true });
    return { name, url: server.url(`/${name}`) };
  };
  const cloned = async (depth = Number.POSITIVE_INFINITY) => {
    const repository = await makeRepository();
    await bed.git.clone({ url: repository.url, directory, depth });
    return repository;
  };
  const commitFile = async (content: string, message = 'changed') => {
    await bed.sh(`printf '${content}\\n' > project/src/file`);
    await bed.git.add({ directory });
    return bed.git.commit({ directory, message, author });
  };
  /** Nothing of a clone is there. */
  const expectNothing = async () => expect(await bed.sh('ls -A')).not.toMatch(/project|coppice/);

  test('I-3 a clone is edited, committed and pushed, and real git finds it whole', async () => {
    const { name, url } = await makeRepository();
    const told: string[] = [];
    const onProgress = ({ text = '' }) => void told.push(text);
    const head = await bed.git.clone({ url, directory, onProgress });
    expect(head).toEqual({ branch: 'main', head: (await git(name, 'rev-parse', 'main')).trim() });
    expect(told[0]).toBe(`Cloning ${url}`);
    expect(await bed.sh('cd project; stat -c "%a %F" run src/file link; cat link; ./run')).toBe(
      '755 regular file\n644 regular file\n777 symbolic link\ntwo\nran\n',
    );
    expect((await bed.git.log({ directory })).map(({ message }) => message)).toEqual(['second']);
    expect(await bed.git.status({ directory })).toEqual({ ...head, files: [], more: 0 });

    await bed.sh('cd project; echo three >> src/file; rm run; echo new > "new file"');
    expect((await bed.git.status({ directory })).files).toEqual([
      { path: 'new file', staged: 'unchanged', unstaged: 'untracked' },
      { path: 'run', staged: 'unchanged', unstaged: 'deleted' },
      { path: 'src/file', staged: 'unchanged', unstaged: 'modified' },
    ]);
    await bed.git.add({ directory });
    expect((await bed.git.status({ directory })).files).toEqual([
      { path: 'new file', staged: 'added', unstaged: 'unchanged' },
      { path: 'run', staged: 'deleted', unstaged: 'unchanged' },
      { path: 'src/file', staged: 'modified', unstaged: 'unchanged' },
    ]);
    const commit = await bed.git.commit({ directory, message: 'third\n\nwhy\n', author });
    expect(commit).toMatchObject({ message: 'third\n\nwhy', author, parents: [head.head] });
    expect(await bed.git.push({ directory })).toEqual({ head: commit.id, branch: 'main' });

    expect(await git(name, 'fsck', '--strict', '--full')).toBe('');
    expect(await git(name, 'log', '-1', '--format=%an %ae %s', 'main')).toBe('Ada ada@example.org third\n');
    expect(await git(name, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'main')).toBe(
      '120000 link\n100644 new file\n100644 src/file\n',
    );
  });

  test('I-3 a diff is as git prints it: of files, of the index, and between commits', async () => {
    await cloned();
    await bed.sh(
      `cd project; printf 'two\\nthree\\n' > src/file; printf 'no end' > added; rm run; printf 'a\\0b' > bytes`,
    );
    expect(await bed.git.diff({ directory })).toEqual({
      patch: [
        'diff --git a/run b/run\ndeleted file mode 100755\nindex deead1d..0000000\n--- a/run\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-#!/bin/sh\n-echo ran\n',
        'diff --git a/src/file b/src/file\nindex f719efd..1946f04 100644\n--- a/src/file\n+++ b/src/file\n@@ -1 +1,2 @@\n two\n+three\n',
      ].join(''),
      isCut: false,
    });
    await bed.git.add({ directory, paths: ['added', 'bytes'] });
    const below = await bed.git.diff({ directory, paths: ['src'] });
    expect(below.patch).toMatch(/^diff --git a\/src\/file b\/src\/file\n[\s\S]*\+three\n$/);
    expect((await bed.git.diff({ directory, staged: true })).patch).toBe(
      [
        'diff --git a/added b/added\nnew file mode 100644\nindex 0000000..d514c78\n--- /dev/null\n+++ b/added\n@@ -0,0 +1 @@\n+no end\n\\ No newline at end of file\n',
        'diff --git a/bytes b/bytes\nnew file mode 100644\nindex 0000000..20b5be9\nBinary files /dev/null and b/bytes differ\n',
      ].join(''),
    );
    const between = { directory, from: 'HEAD~1', to: 'main' };
    expect((await bed.git.diff(between)).patch).toBe(
      'diff --git a/src/file b/src/file\nindex 5626abf..f719efd 100644\n--- a/src/file\n+++ b/src/file\n@@ -1 +1 @@\n-one\n+two\n',
    );
  });

  test('I-3 branches are listed, made and checked out; what would be lost is refused', async () => {
    const { name } = await cloned();
    const [main, other] = await Promise.all(
      ['main', 'other'].map(async (ref) => (await git(name, 'rev-parse', ref)).trim()),
    );
    const { current, branches } = await bed.git.branches({ directory });
    expect([current, [...branches].sort((a, b) => (a.name < b.name ? -1 : 1))]).toEqual([
      'main',
      [
        { name: 'main', commit: main, isRemote: false },
        { name: 'origin/main', commit: main, isRemote: true },
        { name: 'origin/other', commit: other, isRemote: true },
      ],
    ]);
    expect(await bed.git.checkout({ directory, ref: 'other' })).toEqual({ branch: 'other', head: other });
    expect(await bed.sh('cat project/src/other')).toBe('other\n');
    expect(await bed.git.checkout({ directory, ref: 'mine', create: true })).toEqual({
      branch: 'mine',
      head: other,
    });
    await expect(bed.git.checkout({ directory, ref: 'mine', create: true })).rejects.toMatchObject({
      code: 'already-exists',
    });
    await bed.sh('echo changed > project/src/file');
    await expect(bed.git.checkout({ directory, ref: 'v1' })).rejects.toMatchObject({ code: 'conflict' });
    expect(await bed.sh('cat project/src/file')).toBe('changed\n');
    await bed.sh('echo two > project/src/file');
    const first = (await git(name, 'rev-parse', 'v1')).trim();
    expect(await bed.git.checkout({ directory, ref: 'v1' })).toEqual({ head: first });
    expect(await bed.sh('cat project/src/file')).toBe('one\n');
    await expect(bed.git.checkout({ directory, ref: 'nowhere' })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(bed.git.checkout({ directory, ref: '--force' })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  /** A commit of somebody else's on a branch of the server. */
  const commitOnServer = (name: string, script: string, branch = 'main') =>
    onServer(
      `git clone --quiet --branch "$2" "$1" work; cd work; git config user.name B; git config user.email b@c
      ${script}
      git add .; git commit --quiet -m theirs; git push --quiet origin "$2"; cd ..; rm -rf work`,
      name,
      branch,
    );

  libraryTest(
    'I-3 a pull moves the branch on, joins commits of both sides, and a push has them whole',
    async () => {
      const { name, url } = await cloned();
      const pull = () => bed.git.pull({ directory, author });
      expect(await pull()).toMatchObject({ kind: 'up-to-date', branch: 'main' });
      expect((await bed.git.branches({ directory })).upstream).toEqual({
        ...{ name: 'origin/main', ahead: 0, behind: 0, isMore: false },
      });
      await commitOnServer(name, 'echo theirs > theirs; echo "#!/bin/sh" > run');
      await bed.sh('echo untracked > project/mine');
      const theirs = (await git(name, 'rev-parse', 'main')).trim();
      expect(await pull()).toEqual({ kind: 'fast-forward', branch: 'main', head: theirs });
      expect(await bed.sh('cd project; cat theirs mine; ls -l run | cut -c1-10')).toBe(
        'theirs\nuntracked\n-rwxr-xr-x\n',
      );
      await bed.sh('rm project/mine');
      expect((await bed.git.status({ directory })).files).toEqual([]);

      await commitFile('ours');
      await commitOnServer(name, 'mkdir new; echo more > new/more; rm link');
      await bed.git.fetch({ directory });
      expect((await bed.git.branches({ directory })).upstream).toMatchObject({ ahead: 1, behind: 1 });
      const merged = await pull();
      expect(merged).toMatchObject({ kind: 'merge', branch: 'main' });
      const [commit] = await bed.git.log({ directory, most: 1 });
      expect(commit).toMatchObject({ id: merged.head, author });
      expect(commit?.message).toBe(`Merge branch 'main' of ${url.replace(/\.git$/, '')}`);
      expect(commit?.parents[1]).toBe((await git(name, 'rev-parse', 'main')).trim());
      expect(await bed.sh('cd project; cat src/file new/more; ls link 2>/dev/null; true')).toBe(
        'ours\nmore\n',
      );
      expect((await bed.git.status({ directory })).files).toEqual([]);
      expect((await bed.git.branches({ directory })).upstream).toMatchObject({ ahead: 2, behind: 0 });
      await bed.git.push({ directory });
      expect(await git(name, 'fsck', '--strict', '--full')).toBe('');
      expect(await git(name, 'ls-tree', '-r', '--name-only', 'main')).toBe(
        'new/more\nrun\nsrc/file\ntheirs\n',
      );
    },
  );

  test('I-3 a pull of what both sides have changed names the files, and leaves all as it was', async () => {
    const { name } = await cloned();
    await commitOnServer(
      name,
      'echo theirs > src/file; git rm --quiet run; printf "a\\0b" > bytes; echo t > also',
    );
    const { id } = await commitFile('ours');
    await bed.sh('cd project; echo ran >> run; printf "a\\0c" > bytes; echo o > also');
    await bed.git.add({ directory });
    const ours = await bed.git.commit({ directory, message: 'more', author });
    expect(ours.parents).toEqual([id]);
    await bed.sh('echo mine > project/mine');
    const before = await bed.git.status({ directory });
    await expect(bed.git.pull({ directory, author })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('"src/file"'),
      details: { paths: ['also', 'bytes', 'run', 'src/file'], remedy: expect.any(String) },
    });
    expect(await bed.git.status({ directory })).toEqual(before);
    expect(await bed.sh('cd project; cat src/file also mine; ls .git | grep MERGE; true')).toBe(
      'ours\no\nmine\n',
    );
    expect((await bed.git.log({ directory, most: 1 }))[0]?.id).toBe(ours.id);
    expect((await bed.git.branches({ directory })).upstream).toMatchObject({ ahead: 2, behind: 1 });
  });

  libraryTest('I-3 a pull keeps what is not committed: it goes around it, or is refused', async () => {
    const { name } = await cloned();
    await commitOnServer(name, 'echo theirs > src/file');
    await bed.sh('echo changed > project/run');
    expect(await bed.git.pull({ directory, author })).toMatchObject({ kind: 'fast-forward' });
    expect(await bed.sh('cat project/run project/src/file')).toBe('changed\ntheirs\n');
    await commitOnServer(name, 'echo again > src/file; echo theirs > new');
    for (const script of ['echo changed > src/file', 'git checkout -q src/file; echo mine > new']) {
      await bed.sh(`cd project; ${script}`);
      const before = await bed.git.status({ directory });
      await expect(bed.git.pull({ directory, author })).rejects.toMatchObject({ code: 'conflict' });
      expect(await bed.git.status({ directory })).toEqual(before);
    }
    expect(await bed.sh('cat project/new')).toBe('mine\n');
  });

  test('I-3 a pull says what is missing: a branch, an author, a remote branch', async () => {
    const { name } = await cloned();
    await bed.git.checkout({ directory, ref: 'v1' });
    await expect(bed.git.pull({ directory })).rejects.toMatchObject({ code: 'invalid-argument' });
    expect((await bed.git.branches({ directory })).upstream).toBeUndefined();
    await bed.git.checkout({ directory, ref: 'mine', create: true });
    expect((await bed.git.branches({ directory })).upstream).toBeUndefined();
    await expect(bed.git.pull({ directory })).rejects.toMatchObject({ code: 'not-found' });
    await commitOnServer(name, 'echo theirs > theirs');
    await bed.sh('echo own > project/own');
    await bed.git.add({ directory });
    const { id } = await bed.git.commit({ directory, message: 'own', author });
    await expect(bed.git.pull({ directory, branch: 'main' })).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { needs: 'author' },
    });
    expect(await bed.git.status({ directory })).toEqual({ head: id, branch: 'mine', files: [], more: 0 });
    expect(await bed.git.pull({ directory, branch: 'main', author })).toMatchObject({ kind: 'merge' });
    expect((await bed.git.log({ directory, most: 1 }))[0]?.message).toMatch(
      /^Merge branch 'main' of .* into mine$/,
    );
  });

  libraryTest('I-3 a shallow clone pulls what has come since', async () => {
    const { name, url } = await makeRepository();
    await bed.git.clone({ url, directory });
    expect((await bed.git.branches({ directory })).upstream).toMatchObject({ ahead: 0, behind: 0 });
    await commitOnServer(name, 'echo theirs > theirs');
    await commitFile('ours');
    expect(await bed.git.pull({ directory, author })).toMatchObject({ kind: 'merge' });
    expect(await bed.sh('cat project/src/file project/theirs')).toBe('ours\ntheirs\n');
    await bed.git.push({ directory });
    expect(await git(name, 'fsck', '--strict', '--full')).toBe('');
  });

  libraryTest('I-3 a branch, a tag or a commit is merged into the current branch', async () => {
    await cloned();
    const merge = (ref: string) => bed.git.merge({ directory, ref, author });
    expect(await merge('v1')).toMatchObject({ kind: 'up-to-date' });
    await bed.git.checkout({ directory, ref: 'mine', create: true });
    const { id } = await commitFile('mine');
    await bed.git.checkout({ directory, ref: 'main' });
    expect(await merge('origin/other')).toMatchObject({ kind: 'fast-forward' });
    expect(await merge('mine')).toMatchObject({ kind: 'merge', branch: 'main' });
    const [commit] = await bed.git.log({ directory, most: 1 });
    expect([commit?.message, commit?.parents[1]]).toEqual(["Merge branch 'mine'", id]);
    expect(await bed.sh('cat project/src/file project/src/other')).toBe('mine\nother\n');
    await expect(merge('nowhere')).rejects.toMatchObject({ code: 'not-found' });
    await expect(merge('--abort')).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  /** A branch on which a link leads elsewhere, a directory is a file, and a file is a directory. */
  const commitOtherKinds = async () => {
    await bed.git.checkout({ directory, ref: 'kinds', create: true });
    await bed.sh(
      'cd project; rm -r link src run; ln -s elsewhere link; echo file > src; mkdir run; echo inside > run/inside',
    );
    await bed.git.add({ directory });
    await bed.git.commit({ directory, message: 'kinds', author });
  };
  const look = () =>
    bed.sh(
      'cd project; readlink link; find src run | sort; cat src run/inside src/file 2>/dev/null; ls -l run | cut -c1-10',
    );
  const mainLook = 'src/file\nrun\nsrc\nsrc/file\ntwo\n-rwxr-xr-x\n';
  const kindsLook = /^elsewhere\nrun\nrun\/inside\nsrc\nfile\ninside\ntotal.*\n-rw-r--r--\n$/;
  const expectClean = async () => expect((await bed.git.status({ directory })).files).toEqual([]);

  libraryTest(
    'I-3 a checkout and a merge change where a link leads, and make files of directories and directories of files',
    async () => {
      await cloned();
      await commitOtherKinds();
      await bed.git.checkout({ directory, ref: 'main' });
      expect(await look()).toBe(mainLook);
      await expectClean();
      await bed.git.checkout({ directory, ref: 'kinds' });
      expect(await look()).toMatch(kindsLook);
      await expectClean();
      await bed.git.checkout({ directory, ref: 'main' });
      await bed.git.checkout({ directory, ref: 'joined', create: true });
      expect(await bed.git.merge({ directory, ref: 'kinds' })).toMatchObject({ kind: 'fast-forward' });
      expect(await look()).toMatch(kindsLook);
      await expectClean();
      await bed.git.checkout({ directory, ref: 'main' });
      await bed.sh('cd project; echo own > own');
      await bed.git.add({ directory });
      await bed.git.commit({ directory, message: 'own', author });
      expect(await bed.git.merge({ directory, ref: 'kinds', author })).toMatchObject({ kind: 'merge' });
      expect(await look()).toMatch(kindsLook);
      expect(await bed.sh('cat project/own')).toBe('own\n');
      await expectClean();
    },
  );

  libraryTest(
    'I-3 a checkout and a merge keep what git does not know where a directory is to be a file',
    async () => {
      await cloned();
      await commitOtherKinds();
      await bed.git.checkout({ directory, ref: 'main' });
      await bed.sh('echo mine > project/src/mine');
      await expect(bed.git.checkout({ directory, ref: 'kinds' })).rejects.toMatchObject({ code: 'conflict' });
      await expect(bed.git.merge({ directory, ref: 'kinds' })).rejects.toMatchObject({ code: 'conflict' });
      expect(await bed.git.status({ directory })).toMatchObject({
        branch: 'main',
        files: [{ path: 'src/mine', staged: 'unchanged', unstaged: 'untracked' }],
      });
      expect(await bed.sh('cd project; cat src/mine src/file; readlink link')).toBe('mine\ntwo\nsrc/file\n');
    },
  );

  libraryTest('I-3 what is staged is unstaged, all of it or by name, and the files stay', async () => {
    await cloned();
    await bed.sh('cd project; echo three > src/file; rm run; mkdir "*"; echo new > "*/new"; echo new > new');
    await bed.git.add({ directory });
    await bed.git.unstage({ directory, paths: ['*'] });
    expect((await bed.git.status({ directory })).files).toEqual([
      { path: '*/new', staged: 'unchanged', unstaged: 'untracked' },
      { path: 'new', staged: 'added', unstaged: 'unchanged' },
      { path: 'run', staged: 'deleted', unstaged: 'unchanged' },
      { path: 'src/file', staged: 'modified', unstaged: 'unchanged' },
    ]);
    await bed.git.unstage({ directory });
    expect((await bed.git.status({ directory })).files).toEqual([
      { path: '*/new', staged: 'unchanged', unstaged: 'untracked' },
      { path: 'new', staged: 'unchanged', unstaged: 'untracked' },
      { path: 'run', staged: 'unchanged', unstaged: 'deleted' },
      { path: 'src/file', staged: 'unchanged', unstaged: 'modified' },
    ]);
    expect(await bed.sh('cat project/src/file')).toBe('three\n');
    const empty = `${bed.home}/empty`;
    await bed.sh('git init --quiet empty; echo first > empty/first');
    await bed.git.add({ directory: empty });
    await bed.git.unstage({ directory: empty });
    expect((await bed.git.status({ directory: empty })).files).toEqual([
      { path: 'first', staged: 'unchanged', unstaged: 'untracked' },
    ]);
  });

  libraryTest(
    'I-3 modes that a repository says are not to be trusted stay as they are in the index',
    async () => {
      await cloned();
      await bed.sh(
        'cd project; git config core.filemode false; chmod -x run; chmod +x src/file; echo new > new; chmod +x new',
      );
      expect((await bed.git.status({ directory })).files).toEqual([
        { path: 'new', staged: 'unchanged', unstaged: 'untracked' },
      ]);
      expect((await bed.git.diff({ directory })).patch).toBe('');
      await bed.sh('cd project; echo more >> run; echo more >> src/file');
      await bed.git.add({ directory });
      const { patch } = await bed.git.diff({ directory, staged: true });
      expect(patch.match(/^.*mode.*$/gm)).toEqual(['new file mode 100644']);
      expect(await bed.sh('cd project; git ls-files -s 2>/dev/null | cut -c1-6; true')).toMatch(
        /^(120000\n100644\n100755\n100644\n)?$/,
      );
    },
  );

  libraryTest('I-3 a checkout loses nothing that is staged', async () => {
    await cloned();
    await bed.sh('cd project; echo staged > src/file; echo new > src/other');
    await bed.git.add({ directory });
    const before = await bed.git.status({ directory });
    await expect(bed.git.checkout({ directory, ref: 'other' })).rejects.toMatchObject({ code: 'conflict' });
    await bed.git.checkout({ directory, ref: 'mine', create: true });
    await bed.git.checkout({ directory, ref: 'main' });
    expect(await bed.git.status({ directory })).toEqual(before);
    expect(await bed.sh('cat project/src/file project/src/other')).toBe('staged\nnew\n');
  });

  test('I-3 commits say what is missing: something staged, an author, a message, a repository', async () => {
    await cloned();
    const commit = (options: object) => bed.git.commit({ directory, message: 'm', author, ...options });
    await expect(commit({})).rejects.toMatchObject({ code: 'invalid-argument' });
    await bed.sh('echo more > project/more');
    await bed.git.add({ directory });
    await expect(bed.git.commit({ directory, message: 'm' })).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { remedy: expect.stringContaining('user.name') },
    });
    await expect(commit({ message: ' \n' })).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(bed.git.add({ directory, paths: ['none'] })).rejects.toMatchObject({ code: 'not-found' });
    const elsewhere = bed.git.status({ directory: bed.home });
    await expect(elsewhere).rejects.toMatchObject({ code: 'not-found' });
    expect(await commit({})).toMatchObject({ message: 'm' });
  });

  test('I-3 S-6 credentials are asked for when the server wants some, and kept nowhere', async () => {
    const { name, url } = await makeRepository('private/');
    await expect(bed.git.clone({ url, directory })).rejects.toMatchObject({
      code: 'forbidden',
      details: { needs: 'credentials', origin: server.url('') },
    });
    await expectNothing();
    const asked: string[] = [];
    const signIn = { username: gitUser.name, password: gitUser.password };
    const onCredentials = ({ origin }: { origin: string }) => {
      asked.push(origin);
      return signIn;
    };
    const wrong = () => ({ ...signIn, password: 'byron' });
    await expect(bed.git.clone({ url, directory, onCredentials: wrong })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await bed.git.clone({ url, directory, onCredentials });
    const { id } = await commitFile('signed in');
    await bed.git.push({ directory, onCredentials });
    expect((await git(name, 'rev-parse', 'main')).trim()).toBe(id);
    await bed.git.fetch({ directory, onCredentials });
    expect(asked).toEqual([server.url(''), server.url(''), server.url('')]);
    expect(await bed.sh(`grep -rl ${gitUser.password} . .* 2>/dev/null; true`)).toBe('');
  });

  test('I-3 S-6 credentials go to no other server that the repository names', async () => {
    await cloned();
    await using other = await openGitServer({ isPlain: true });
    await commitFile('elsewhere');
    await bed.sh(`sed -i 's#url = .*#url = ${other.url('/private/b.git')}#' project/.git/config`);
    const asked: string[] = [];
    const onCredentials = ({ origin }: { origin: string }) => {
      asked.push(origin);
      // What a client has stored for the first server, and gives for any.
      return { username: gitUser.name, password: gitUser.password };
    };
    await expect(bed.git.push({ directory, onCredentials })).rejects.toMatchObject({
      code: expect.any(String),
    });
    expect(asked).toEqual([other.url('')]);
  });

  test('I-3 S-6 a push goes to the URL that the repository has for pushes, and says so to who signs in', async () => {
    await cloned();
    await using other = await openGitServer({ isPlain: true });
    await commitFile('elsewhere');
    await bed.sh(`git -C project config remote.origin.pushurl ${other.url('/private/b.git')}`);
    server.requests.length = 0;
    const asked: string[] = [];
    const onCredentials = ({ origin }: { origin: string }) => void asked.push(origin);
    await expect(bed.git.push({ directory, onCredentials })).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toEqual([other.url('')]);
    expect(server.requests).toEqual([]);
    await bed.git.fetch({ directory });
    expect(server.requests).not.toEqual([]);
  });

  test('I-3 a push that would lose commits, or that the server refuses, is a conflict', async () => {
    const { name } = await cloned();
    await onServer(
      'git clone --quiet "$1" work 2>/dev/null; cd work; git config user.name B; git config user.email b@c; echo x > x; git add .; git commit --quiet -m x; git push --quiet origin main; cd ..; rm -rf work',
      name,
    );
    const { id } = await commitFile('late');
    await expect(bed.git.push({ directory })).rejects.toMatchObject({ code: 'conflict' });
    await bed.git.fetch({ directory });
    expect((await bed.git.log({ directory, ref: 'origin/main', most: 1 }))[0]?.message).toBe('x');
    await onServer(
      'printf "#!/bin/sh\\necho not today >&2\\nexit 1\\n" > "$1/hooks/pre-receive"; chmod +x "$1/hooks/pre-receive"',
      name,
    );
    await expect(bed.git.push({ directory, force: true })).rejects.toMatchObject({ code: 'conflict' });
    await onServer('rm "$1/hooks/pre-receive"', name);
    await bed.git.push({ directory, force: true });
    expect((await git(name, 'rev-parse', 'main')).trim()).toBe(id);
  });

  test('I-3 a clone begins at a tag, at a commit that no branch has, or in an empty repository', async () => {
    const { name, url } = await makeRepository();
    const first = (await git(name, 'rev-parse', 'v1')).trim();
    expect(await bed.git.clone({ url, directory, ref: 'v1' })).toEqual({ head: first });
    expect(await bed.sh('cat project/src/file; rm -rf project')).toBe('one\n');
    await git(name, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    await git(name, 'update-ref', '-d', 'refs/tags/v1');
    expect(await bed.git.clone({ url, directory, commit: first })).toEqual({ head: first });
    expect(await bed.sh('cat project/src/file')).toBe('one\n');
    await onServer(
      'git init --quiet --bare --initial-branch=main empty.git; git -C empty.git config http.receivepack true',
    );
    const empty = `${bed.home}/empty`;
    expect(await bed.git.clone({ url: server.url('/empty.git'), directory: empty })).toEqual({
      branch: 'main',
    });
    expect(await bed.git.log({ directory: empty })).toEqual([]);
    await bed.sh('echo 1 > empty/1');
    await bed.git.add({ directory: empty });
    const commit = await bed.git.commit({ directory: empty, message: 'first', author });
    await bed.git.push({ directory: empty });
    expect((await git('empty.git', 'rev-parse', 'main')).trim()).toBe(commit.id);
  });

  test.each<[what: string, code: string, options: (url: string) => object]>([
    ['a repository that is not there', 'not-found', () => ({ url: server.url('/none.git') })],
    ['a branch that is not there', 'not-found', (url) => ({ url, ref: 'nope' })],
    ['a commit that is not there', 'not-found', (url) => ({ url, commit: 'ab'.repeat(20) })],
    ['no directory to hold it', 'not-found', (url) => ({ url, directory: `${bed.home}/none/project` })],
    ['a place that is taken', 'already-exists', (url) => ({ url, directory: `${bed.home}/taken` })],
    ['no server', 'asset-unavailable', () => ({ url: 'http://127.0.0.1:9/a.git' })],
    ['a password in the URL', 'invalid-argument', () => ({ url: 'https://a:b@example.org/a.git' })],
    ['a transport that runs programs', 'invalid-argument', () => ({ url: 'ext::sh -c touch% ran' })],
  ])('I-3 a clone is all or nothing: %s', async (_what, code, options) => {
    const { url } = await makeRepository();
    await bed.sh('mkdir taken; echo mine > taken/file');
    const changedAt = await bed.sh('stat -c %y .');
    await expect(bed.git.clone({ url, directory, ...options(url) })).rejects.toMatchObject({ code });
    await expectNothing();
    // Its directory has not changed either, so that the history has nothing of it.
    expect(await bed.sh('stat -c %y .')).toBe(changedAt);
    expect(await bed.sh('cat taken/file')).toBe('mine\n');
  });

  test.each<[what: string, answer: GitServer['answer']]>([
    [
      'answers with a page',
      (_, response) => {
        response.setHeader('content-type', 'text/html');
        return Boolean(response.end('<!DOCTYPE html>\n<html>\n<title>Hello</title>\n</html>\n'));
      },
    ],
    [
      'answers with garbage of the right type',
      (request, response) => {
        const kind = request.method === 'GET' ? 'advertisement' : 'result';
        response.setHeader('content-type', `application/x-git-upload-pack-${kind}`);
        response.end('zzzz\0garbage');
        return true;
      },
    ],
    ['fails', (_, response) => Boolean(response.writeHead(500).end('oops'))],
    [
      'stops in the middle of the pack',
      (request, response) => {
        if (request.method === 'GET') return false;
        response.writeHead(200, {
          'content-type': 'application/x-git-upload-pack-result',
          'content-length': '100000',
        });
        response.write('0008NAK\n2004\x01PACK\0\0\0\x02');
        setTimeout(() => response.destroy(), 20);
        return true;
      },
    ],
    [
      'sends a pack that is none',
      (request, response) => {
        if (request.method === 'GET') return false;
        response.setHeader('content-type', 'application/x-git-upload-pack-result');
        response.end(`0008NAK\n0029\x01${'x'.repeat(36)}0000`);
        return true;
      },
    ],
  ])('I-3 H-9 a clone from a server that %s leaves nothing', async (_what, answer) => {
    const { url } = await makeRepository();
    server.answer = answer;
    await expect(bed.git.clone({ url, directory })).rejects.toMatchObject({
      code: expect.stringMatching(/^(asset-unavailable|not-found|invalid-argument)$/),
      message: expect.stringContaining(`Cannot clone "${url}"`),
    });
    await expectNothing();
  });

  test('I-3 H-8 a clone that is given up leaves nothing', async () => {
    const { url } = await makeRepository();
    const giveUp = new AbortController();
    server.answer = (request) => {
      if (request.method === 'POST') giveUp.abort();
      return request.method === 'POST';
    };
    const cloning = bed.git.clone({ url, directory, signal: giveUp.signal });
    await expect(cloning).rejects.toMatchObject({ code: 'aborted' });
    await expectNothing();
    server.answer = () => false;
    await bed.git.clone({ url, directory });
  });

  const blob = '5626abf0f72e58d7a153368ba57db4c673c0e171';
  /** As an entry of a tree: a directory with a file `config`. */
  const directoryMode = '40000';
  const hostile: readonly [what: string, entries: readonly (readonly [mode: string, name: string])[]][] = [
    ['.git', [['100644', '.git']]],
    ['.GIT', [['100644', '.GIT']]],
    ['..', [['100644', '..']]],
    ['an absolute name', [['100644', '/etc/evil']]],
    ['a way out', [['100644', '../evil']]],
    ['a file of git', [['100644', '.git/hooks/post-checkout']]],
    ['a directory .git', [[directoryMode, '.git']]],
    ['a directory .Git', [[directoryMode, '.Git']]],
  ];
  test.each(isProgram && !runsLong ? hostile.slice(0, 1) : hostile)(
    'S-6 H-9 a repository with %s is not put into the files',
    async (_what, entries) => {
      const { name, url } = await makeRepository();
      const makeTree = async (rows: readonly (readonly [mode: string, name: string])[], object: string) => {
        const hashing = run(
          'git',
          ['-C', join(server.folder, name), 'hash-object', '-t', 'tree', '-w', '--stdin', '--literally'],
          { env: env() },
        );
        const entriesBytes = rows.map(([mode, entry]) =>
          Buffer.concat([Buffer.from(`${mode} ${entry}\0`), Buffer.from(object, 'hex')]),
        );
        hashing.child.stdin?.end(Buffer.concat(entriesBytes));
        return (await hashing).stdout.trim();
      };
      const isDirectory = entries[0]?.[0] === directoryMode;
      const below = isDirectory ? await makeTree([['100644', 'config']], blob) : blob;
      const id = await makeTree(entries, below);
      const commit = (
        await git(name, '-c', 'user.name=E', '-c', 'user.email=e@e', 'commit-tree', '-m', 'evil', id)
      ).trim();
      await git(name, 'update-ref', 'refs/heads/main', commit);
      await expect(bed.git.clone({ url, directory })).rejects.toMatchObject({ code: 'invalid-argument' });
      await expectNothing();
      expect(await bed.sh('ls -A /etc/evil ../evil evil 2>/dev/null; true')).toBe('');
    },
  );
}
