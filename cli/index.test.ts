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

test('S-2 a file that begins with a byte order mark is the same when it is read and written again', async () => {
  await using sandbox = await Sandbox.create();
  await sandbox.files.write('/tmp/a', '\ufefftext');
  await sandbox.files.write('/tmp/b', await sandbox.files.read('/tmp/a'));
  expect([...(await sandbox.files.read('/tmp/b', { format: 'bytes' }))].slice(0, 4)).toEqual([
    0xef, 0xbb, 0xbf, 0x74,
  ]);
});

test('H-3 a label that a snapshot has no room for is refused, and nothing is taken', async () => {
  await using sandbox = await Sandbox.create();
  const before = (await sandbox.history.log()).length;
  const refused = sandbox.createSnapshot({ label: 'ü'.repeat(2_049) });
  await expect(refused).rejects.toMatchObject({ code: 'invalid-argument' });
  expect((await sandbox.history.log()).length).toBe(before);
  await sandbox.createSnapshot({ label: 'ü'.repeat(2_048) });
});

test('B-5 programs in a directory that was entered by a link look at the directory', async () => {
  await using sandbox = await Sandbox.create();
  const script =
    'mkdir d; touch d/a; ln -s d l; cd l; find . -name a; stat -c %F .; cp -r . /tmp/copy; ls /tmp/copy; pwd';
  expect((await sandbox.run(script)).stdout).toBe('./a\ndirectory\na\n/home/user/l\n');
});
