import { beforeEach, expect, test } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../sandbox.ts';
import { importGit } from './import-git.ts';

const directory = '/home/user/project';
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.create({ backend: shellBackend() });
  const { stderr, exitCode } = await sandbox.run(
    `git config --global user.name Ada; git config --global user.email ada@example.org
    git init -b main project; cd project
    for word in one two three; do echo $word > file; git add .; git commit -m "$word"; done; echo new > new`,
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  return () => sandbox.close();
});

test('I-3 each commit is a snapshot with its files, and the working tree is where it was', async () => {
  const before = await sandbox.git.status({ directory });
  const { snapshots, omitted } = await importGit(sandbox, { directory });
  expect(omitted).toEqual([]);
  const log = await sandbox.git.log({ directory });
  expect([...snapshots.keys()]).toEqual(log.map(({ id }) => id).reverse());
  const contents: string[] = [];
  for (const at of snapshots.values()) contents.push(await sandbox.files.read(`${directory}/file`, { at }));
  expect(contents).toEqual(['one\n', 'two\n', 'three\n']);
  const labels = (await sandbox.history.log()).flatMap(({ cause }) =>
    cause.type === 'manual' ? cause.label.trim() : [],
  );
  expect(labels.slice(0, 3).map((label) => label.split('\n')[0])).toEqual(['three', 'two', 'one']);
  const [newest] = log;
  expect(labels[0]).toBe(
    `three\n\nAuthor: Ada <ada@example.org>\nDate: ${new Date(newest?.authoredAtMs ?? 0).toISOString()}\nCommit: ${newest?.id}`,
  );
  expect(await sandbox.git.status({ directory })).toEqual(before);
  await sandbox.checkout([...snapshots.values()][0] ?? '');
  expect(await sandbox.files.read(`${directory}/file`)).toBe('one\n');
});

test('I-3 what is not committed is not lost to it, and a signal ends it at a commit', async () => {
  await sandbox.files.write(`${directory}/file`, 'changed\n');
  await expect(importGit(sandbox, { directory })).rejects.toMatchObject({ code: 'conflict' });
  expect(await sandbox.files.read(`${directory}/file`)).toBe('changed\n');
  await sandbox.run('echo three > file', { cwd: directory });
  const before = await sandbox.git.status({ directory });
  await expect(importGit(sandbox, { directory, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'aborted',
  });
  expect(await sandbox.git.status({ directory })).toEqual(before);
  expect((await importGit(sandbox, { directory, most: 1 })).snapshots.size).toBe(1);
});

test('I-3 a message that is longer than a label is cut', async () => {
  const message = `four\n\n${'é'.repeat(4_000)}`;
  await sandbox.git.add({ directory });
  await sandbox.git.commit({ directory, message });
  await importGit(sandbox, { directory, most: 1 });
  const [last] = (await sandbox.history.log()).flatMap(({ cause }) =>
    cause.type === 'manual' ? cause.label : [],
  );
  expect(new TextEncoder().encode(last).length).toBeGreaterThan(4_090);
  expect(last).toMatch(/^four\n\né+\n\nAuthor: Ada <ada@example.org>\nDate: .*\nCommit: [0-9a-f]{40}$/);
});

test('I-3 modes and links come in, merges are one commit, and submodules are named', async () => {
  const { stderr, exitCode } = await sandbox.run(
    `git switch -qc work; echo side > side; git add side; git commit -qm side; git switch -q main
    ln -s file link; printf '#!/bin/sh\\necho ran\\n' > run; chmod +x run
    printf '[submodule "lib"]\\n\\tpath = lib/inner\\n\\turl = https://example.org/lib.git\\n' > .gitmodules
    git add link run .gitmodules; git commit -qm more; git merge -q work`,
    { cwd: directory },
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  const { snapshots, omitted } = await importGit(sandbox, { directory });
  expect(omitted).toEqual([{ path: 'lib/inner', why: 'submodule' }]);
  expect(snapshots.size).toBe(5);
  const [, , , more = 'now', merged = 'now'] = [...snapshots.values()];
  const stat = (path: string, at: typeof more) => sandbox.files.stat(`${directory}/${path}`, { at });
  expect(await stat('link', more)).toMatchObject({ type: 'symlink', target: 'file' });
  expect((await stat('run', more)).mode & 0o777).toBe(0o755);
  await expect(stat('side', more)).rejects.toMatchObject({ code: 'not-found' });
  expect((await stat('side', merged)).type).toBe('file');
});
