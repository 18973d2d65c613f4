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
  const snapshots = await importGit(sandbox, { directory });
  const log = await sandbox.git.log({ directory });
  expect([...snapshots.keys()]).toEqual(log.map(({ id }) => id).reverse());
  const contents: string[] = [];
  for (const at of snapshots.values()) contents.push(await sandbox.files.read(`${directory}/file`, { at }));
  expect(contents).toEqual(['one\n', 'two\n', 'three\n']);
  const labels = (await sandbox.history.log()).flatMap(({ cause }) =>
    cause.type === 'manual' ? cause.label.trim() : [],
  );
  expect(labels.slice(0, 3)).toEqual(['three', 'two', 'one']);
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
  expect((await importGit(sandbox, { directory, most: 1 })).size).toBe(1);
});

test('I-3 a message that is longer than a label is cut', async () => {
  const message = `four\n\n${'é'.repeat(4_000)}`;
  await sandbox.git.add({ directory });
  await sandbox.git.commit({ directory, message });
  await importGit(sandbox, { directory, most: 1 });
  const [last] = (await sandbox.history.log()).flatMap(({ cause }) =>
    cause.type === 'manual' ? cause.label : [],
  );
  expect(last).toBe(`four\n\n${'é'.repeat(2_045)}`);
});
