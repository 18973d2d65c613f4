import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { whatGitLacks } from '../../test/http/git-server.ts';
import { Sandbox } from '../sandbox.ts';
import { exportGit, type GitExportOptions } from './export-git.ts';

const lack = await whatGitLacks();
const run = promisify(execFile);
const path = '/home/user/project';

describe.skipIf(lack)(`a history as a git repository${lack ? ` (not here: ${lack})` : ''}`, () => {
  let folder: string;
  let sandbox: Sandbox;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-git-export-'));
    sandbox = await Sandbox.create({ backend: shellBackend(), name: 'Ada <x> notes' });
    return async () => {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    };
  });

  /** Unpacks the export, clones that with real git, and checks both; answers what git prints in the clone. */
  const cloned = async (options: GitExportOptions) => {
    const repository = await exportGit(sandbox, options);
    const bare = join(folder, 'bare.git');
    await rm(bare, { recursive: true, force: true });
    await mkdir(bare);
    await pipeline(repository, createWriteStream(join(folder, 'bare.tar')));
    await run('tar', ['-x', '-f', join(folder, 'bare.tar'), '-C', bare]);
    const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
    const git = async (...words: string[]) => (await run('git', words, { env, cwd: folder })).stdout;
    await rm(join(folder, 'clone'), { recursive: true, force: true });
    await git('-c', 'transfer.fsckObjects=true', 'clone', '--quiet', bare, 'clone');
    const inClone = (...words: string[]) => git('-C', 'clone', ...words);
    expect(await inClone('fsck', '--strict', '--full')).toBe('');
    expect(await git('--git-dir', bare, 'fsck', '--strict', '--full')).toBe('');
    expect(await inClone('status', '--porcelain')).toBe('');
    return { repository, git: inClone };
  };

  test('I-3 each snapshot is a commit with its files, parents, cause and time, and its tag a tag', async () => {
    await sandbox.run(
      `mkdir -p project/a project/a.b project/empty; cd project; printf one > a/file; printf x > a.b/x; printf y > a-b; printf '#!/bin/sh\\n' > run; chmod 755 run
      ln -s a/file link; ln a/file same; printf 'é' > 'é ü'; mkdir .git a/.GIT; echo hidden > .git/config; : > nothing`,
    );
    const first = await sandbox.createSnapshot({ label: 'first\r\nwith more \u001b[31m' });
    await sandbox.history.setTag('v1', first.id);
    await sandbox.run('echo elsewhere > other');
    await sandbox.run('printf two > project/a/file; rm project/run');
    const last = await sandbox.createSnapshot({ label: 'l'.repeat(100) });

    const { repository, git } = await cloned({ path });
    const log = await sandbox.history.log();
    const ids = log.map(({ id }) => `Snapshot: ${id}`);
    const messages = (await git('log', '--format=%B%x00')).split('\0').map((text) => text.trim());
    expect(messages.slice(0, -1).map((text) => text.split('\n').at(-1))).toEqual(ids);
    expect(await git('log', '-1', '--format=%s%n%an%n%ae%n%at', 'v1')).toBe(
      `first\nAda x notes\n${sandbox.id}@sandbox.invalid\n${Math.floor(first.takenAtMs / 1000)}\n`,
    );
    expect(await git('log', '-1', '--format=%s', 'main')).toBe(`${'l'.repeat(71)}…\n`);
    expect(log[0]?.id).toBe(last.id);
    expect(
      await git('-c', 'core.quotePath=false', 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'v1'),
    ).toBe(
      [
        '100644 a-b\n100644 a.b/x\n100644 a/file\n120000 link\n100644 nothing\n100755 run\n100644 same\n',
        '100644 é ü\n',
      ].join(''),
    );
    expect(await git('show', 'v1:same')).toBe('one');
    expect(await git('show', 'main:same')).toBe('two');
    expect(await git('diff', '--name-status', 'v1', 'main')).toBe('M\ta/file\nD\trun\nM\tsame\n');
    expect(repository.omitted).toEqual([
      { path: '.git', why: expect.stringContaining('repository') },
      { path: 'a/.GIT', why: expect.stringContaining('repository') },
      { path: 'empty/', why: 'git has no empty directories' },
    ]);
  });

  test('I-3 a branch that was left is exported by its snapshot, and all files of a sandbox are', async () => {
    await sandbox.run('mkdir project; echo one > project/file');
    const base = await sandbox.createSnapshot({ label: 'base' });
    await sandbox.run('echo left > project/file');
    const left = await sandbox.createSnapshot({ label: 'left' });
    await sandbox.checkout(base.id);
    await sandbox.run('echo taken > project/file');
    await sandbox.createSnapshot({ label: 'taken' });

    const there = await cloned({ path, from: left.id });
    expect(await there.git('show', 'main:file')).toBe('left\n');
    const here = await cloned({});
    expect(await here.git('show', 'main:home/user/project/file')).toBe('taken\n');
    expect(await here.git('log', '--format=%s')).toContain('base');
    expect(await here.git('log', '--format=%s')).not.toContain('left');
    await expect(exportGit(sandbox, { path: '/nowhere' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(exportGit(sandbox, { from: 'no-such' })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('I-3 what commands changed has them as its message, and what changed elsewhere is a commit without changes', async () => {
    await sandbox.run('mkdir project; echo one > project/file');
    await sandbox.createSnapshot();
    const untilCaptured = async (command: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const isOfCommand = ({ cause }: SnapshotInfo) =>
        cause.type === 'capture' && cause.commands.includes(command);
      const stop = await sandbox.subscribe((event) => {
        if (event.type === 'snapshot' && isOfCommand(event.snapshot)) resolve();
      });
      await sandbox.run(command);
      await promise;
      stop();
    };
    await untilCaptured('echo two >> project/file');
    await untilCaptured('echo elsewhere > other');
    const { git } = await cloned({ path });
    expect(await git('log', '-2', '--format=%s', '--name-only')).toBe(
      'echo elsewhere > other\necho two >> project/file\n\nfile\n',
    );
  });

  test('I-3 names that git takes for its own are left out and named', async () => {
    const names = [
      '.git',
      '.Git',
      'git~1',
      '.git.',
      '.git :x',
      'a\\.git',
      '.gi\u200ct',
      '.gitignore',
      'fine~1',
      '...',
    ];
    await sandbox.files.makeDirectory(path);
    for (const name of names) await sandbox.files.write(`${path}/${name}`, name);
    await sandbox.run('ln -s x .gitmodules', { cwd: path });
    await sandbox.createSnapshot();
    const { repository, git } = await cloned({ path });
    expect(await git('ls-tree', '-r', '--name-only', 'main')).toBe('...\n.gitignore\nfine~1\n');
    expect(repository.omitted).toHaveLength(8);
  });

  test('I-3 each commit has the files of its snapshot, whatever changed from one to the next', async () => {
    const steps = [
      'mkdir -p project/a/b project/c; echo 1 > project/a/b/x; echo 2 > project/a/b/y; echo 3 > project/c/z; ln project/a/b/x project/c/same',
      'echo 4 >> project/c/same',
      'echo 5 > project/a/b/y',
      'mv project/a/b project/a/moved',
      'rm -r project/a/moved; echo file > project/a/moved',
      'mkdir -p project/c/deep/er; echo 6 > project/c/deep/er/w; ln -s ../z project/c/deep/link',
      'chmod 755 project/c/deep/er/w',
      'rm project/c/deep/er/w',
      'mkdir project/.git; echo 7 > project/.git/config',
      'mv project gone',
      'ln -s gone project',
      'echo 8 > gone/c/through-a-link',
      'rm project; mv gone project',
      'printf "\\377" > "$(printf "project/c/\\377")"; echo 9 > project/c/z',
    ];
    const expected = new Map<string, string>();
    for (const step of steps) {
      await sandbox.run(step);
      const { id } = await sandbox.createSnapshot();
      const list =
        'find . -name .git -prune -o ! -type d -print 2>/dev/null | sort | while IFS= read -r f; do printf "%s " "$f"; cat "$f"; done';
      const { stdout } = await sandbox.run(`cd -P project 2>/dev/null || exit 0; ${list}`);
      expected.set(id, stdout);
    }
    const { git } = await cloned({ path });
    const clone = join(folder, 'clone');
    for (const [id, files] of expected) {
      const commit = (await git('log', 'main', '--format=%H', `--grep=Snapshot: ${id}`)).trim();
      await git('checkout', '--quiet', commit);
      const list =
        'find . -name .git -prune -o ! -type d -print | LC_ALL=C sort | while IFS= read -r f; do printf "%s " "$f"; cat "$f"; done';
      expect((await run('sh', ['-c', list], { cwd: clone })).stdout).toBe(files);
    }
  });

  test('I-3 H-9 labels and tags that git would not take are made to fit, or left out and named', async () => {
    await sandbox.files.makeDirectory(path);
    await sandbox.files.write(`${path}/file`, 'x');
    const labels = ['', '\0', '\n\n', 'a\0b\u001b[2J', '\ud800', 'tree 0\nauthor x <x> 0 +0000\n\nforged'];
    for (const label of labels) await sandbox.createSnapshot({ label });
    const head = await sandbox.history.head();
    const tags = ['../../config', 'a b', '-x', 'v1.lock', 'a..b', '.hidden', 'HEAD~1', 'fine-1.0', 'grün'];
    for (const tag of tags) await sandbox.history.setTag(tag, head);
    const { repository, git } = await cloned({ path });
    expect((await git('tag')).trim().split('\n').length).toBe(2);
    expect(repository.omitted.map((one) => one.path)).toEqual(
      expect.arrayContaining(['refs/tags/../../config', 'refs/tags/HEAD~1', 'refs/tags/v1.lock']),
    );
    const subjects = (await git('log', `-${labels.length}`, '--format=%s')).trimEnd().split('\n').reverse();
    expect(subjects.slice(0, 5)).toEqual([
      'Files changed',
      'Files changed',
      'Files changed',
      'a b [2J',
      '\ufffd',
    ]);
    expect(new Set((await git('log', '--format=%an')).trim().split('\n'))).toEqual(new Set(['Ada x notes']));
  });

  test('I-3 S-5 a large file goes through whole, and an export that is left early can be begun again', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const large = new Uint8Array(5_000_001);
    for (let at = 0; at < large.length; at += bytes.length)
      large.set(bytes.subarray(0, large.length - at), at);
    await sandbox.files.makeDirectory(path);
    await sandbox.files.write(`${path}/large`, large);
    await sandbox.createSnapshot();
    for await (const _piece of await exportGit(sandbox, { path })) break;
    const { git, repository } = await cloned({ path });
    const again = async () => {
      for await (const _piece of repository);
    };
    await expect(again()).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await git('cat-file', '-s', 'main:large')).toBe('5000001\n');
  });
});
