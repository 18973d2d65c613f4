import { expect, test } from 'vitest';
import { Sandbox } from './index.ts';

test('S-1 in Node a sandbox is there without configuration: a shell, with a history', async () => {
  await using sandbox = await Sandbox.create();
  await sandbox.run('echo one > file');
  const { id } = await sandbox.createSnapshot();
  const changed = await sandbox.run('echo two > file; grep -c two file');
  expect(changed).toMatchObject({ stdout: '1\n', exitCode: 0, files: { modified: ['/home/user/file'] } });
  await sandbox.checkout(id);
  expect((await sandbox.run('cat file')).stdout).toBe('one\n');
});
