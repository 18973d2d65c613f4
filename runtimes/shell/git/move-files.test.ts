import { beforeEach, expect, test } from 'vitest';
import { boundCalls } from '../../../sandbox/git/library/bound-calls.ts';
import type { GitFileCalls } from '../../../sandbox/git/library/git-files.ts';
import { initializeRepository } from '../../../sandbox/git/library/initialize-repository.ts';
import { LibraryGit } from '../../../sandbox/git/library/library-git.ts';
import { Repository } from '../../../sandbox/git/library/repository.ts';
import { TreeFiles } from '../../../shell/files/tree-files.ts';
import { ShellError } from '../../../shell/shell-error.ts';
import { isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { ShellFileChanger } from '../file-changer.ts';
import { users } from '../users.ts';
import { TreeGitFiles } from './tree-git-files.ts';

const directory = '/p';
const author = { name: 'Ada', email: 'ada@example.org' };
const creator = { ...users.user, umask: 0o022 };

/** Files of which one change does what the test says: to fail, or to abort. */
class FailingFiles extends TreeGitFiles {
  countdown = Number.POSITIVE_INFINITY;
  fail = () => {};

  override within(root: string, signal: AbortSignal): GitFileCalls {
    const calls = boundCalls(super.within(root, signal));
    const count = async () => {
      if (--this.countdown === 0) this.fail();
    };
    return {
      ...calls,
      writeFile: (...args) => count().then(() => calls.writeFile(...args)),
      mkdir: (path) => count().then(() => calls.mkdir(path)),
      rmdir: (path) => count().then(() => calls.rmdir(path)),
      unlink: (path) => count().then(() => calls.unlink(path)),
      symlink: (...args) => count().then(() => calls.symlink(...args)),
    };
  }
}

let tree: TreeFiles;
let files: FailingFiles;
let git: LibraryGit;
const write = (path: string, text: string, mode = 0o644) => {
  tree.writeFile(`${directory}/${path}`, new TextEncoder().encode(text), creator);
  tree.chmod(`${directory}/${path}`, mode);
};
const makeDirectory = (path: string) => tree.mkdir(`${directory}/${path}`, creator);
const link = (path: string, target: string) => tree.symlink(target, `${directory}/${path}`, creator);
const commit = async (message: string) => {
  await git.add({ directory });
  return (await git.commit({ directory, message, author })).id;
};

/** All of the working tree, with HEAD, branches and index, but not the objects. */
function allOf(path = directory): string[] {
  return [...tree.readdir(path)].sort().flatMap((name) => {
    const below = `${path}/${name}`;
    if (below === `${directory}/.git/objects`) return [];
    const { mode, ino, sizeBytes } = tree.lstat(below);
    if (isDirectory(mode)) return [below, ...allOf(below)];
    if (isSymlink(mode)) return [`${below} -> ${tree.readlink(below)}`];
    const bytes = new Uint8Array(sizeBytes);
    tree.tree.read(ino, 0, bytes);
    return [`${below} ${(mode & 0o777).toString(8)} ${Array.from(bytes)}`];
  });
}

let first: string;
beforeEach(async () => {
  tree = new TreeFiles(new LiveTree());
  tree.mkdir(directory, creator);
  files = new FailingFiles(tree, new ShellFileChanger(tree));
  git = new LibraryGit(files);
  const { signal } = new AbortController();
  await initializeRepository(await Repository.open(files, directory, { signal, what: 'test', isNew: true }));
  for (const path of ['dir', 'dir/deep', 'kept']) makeDirectory(path);
  for (const path of ['file', 'dir/deep/a', 'kept/b', 'changed']) write(path, `first ${path}`);
  write('run', 'run', 0o755);
  link('link', 'file');
  first = await commit('first');
  await git.checkout({ directory, ref: 'other', create: true });
  for (const path of ['file', 'dir/deep/a', 'kept/b', 'link']) tree.unlink(`${directory}/${path}`);
  tree.rmdir(`${directory}/dir/deep`);
  tree.rmdir(`${directory}/dir`);
  makeDirectory('file');
  for (const path of ['file/inside', 'dir', 'kept/c', 'changed']) write(path, `other ${path}`);
  write('run', 'run', 0o644);
  link('link', 'elsewhere');
  await commit('other');
  await git.checkout({ directory, ref: 'main' });
});

test.each([
  ['checkout', () => git.checkout({ directory, ref: 'other' })],
  ['merge', () => git.merge({ directory, ref: 'other' })],
])('I-3 a %s that fails at any write leaves files, index and HEAD as they were', async (_name, move) => {
  files.fail = () => {
    throw new ShellError('ENOSPC');
  };
  let fails = 0;
  for (let isDone = false; !isDone; fails += isDone ? 0 : 1) {
    const before = allOf();
    files.countdown = fails + 1;
    const code = await move().then(
      () => 'done',
      (error) => error.code,
    );
    // The library tries a second time to write a ref.
    isDone = code === 'done';
    if (!isDone) expect(code, `write ${fails + 1}`).toBe('storage-full');
    if (!isDone) expect(allOf()).toEqual(before);
    files.countdown = Number.POSITIVE_INFINITY;
    if (!isDone) expect((await git.status({ directory })).files).toEqual([]);
  }
  expect(fails).toBeGreaterThan(15);
  expect((await git.status({ directory })).files).toEqual([]);
});

test('I-3 H-5 a reset that is aborted at any write is made whole or not at all', async () => {
  await git.checkout({ directory, ref: 'other' });
  const before = allOf().filter((line) => !line.includes('/index '));
  const ends = new Set<string>();
  for (let count = 1, isDone = false; !isDone; count++) {
    const controller = new AbortController();
    files.fail = () => controller.abort();
    files.countdown = count;
    const code = await git.putBack({ directory, commit: first, signal: controller.signal }).then(
      () => 'done',
      (error) => error.code,
    );
    isDone = code === 'done';
    ends.add(code);
    files.countdown = Number.POSITIVE_INFINITY;
    expect((await git.status({ directory })).files).toEqual([]);
    if (!isDone) expect(allOf().filter((line) => !line.includes('/index '))).toEqual(before);
  }
  expect(ends).toEqual(new Set(['aborted', 'done']));
});

test('I-3 a new file in the way is named, and nothing has changed', async () => {
  const before = allOf();
  // The first change of the move is to remove a file of the directory that is to be a file.
  files.fail = () => write('dir/new', 'new');
  files.countdown = 1;
  await expect(git.checkout({ directory, ref: 'other' })).rejects.toMatchObject({
    code: 'conflict',
    details: { path: 'dir', remedy: expect.any(String) },
  });
  tree.unlink(`${directory}/dir/new`);
  expect(allOf()).toEqual(before);
});
