import { expect, test } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import { shellBackend } from './shell-backend.ts';

test('H-8 deleting a sandbox ends what runs in it, whoever has it open', async () => {
  const backend = shellBackend();
  const sandbox = await Sandbox.create({ backend });
  const other = await Sandbox.open(sandbox.id, { backend });
  const begun = Promise.withResolvers<void>();
  const shell = await sandbox.shell();
  const running = shell.run('echo begun; sleep 600', { onStdout: () => begun.resolve() });
  const beside = other.run('sleep 600').then(
    ({ reason }) => reason,
    ({ code }) => code,
  );
  await begun.promise;
  await Sandbox.delete(sandbox.id, { backend });
  expect((await running).reason).toBe('machine-failed');
  expect(await beside).toBe('machine-failed');
  await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'connection-lost' });
  await expect(other.files.read('/etc/hostname')).rejects.toMatchObject({ code: 'connection-lost' });
  expect(await backend.list()).toEqual([]);
});

test('H-6 a diff and the numbers of a snapshot have every file, of more than ten thousand too', async () => {
  await using sandbox = await Sandbox.create({ backend: shellBackend() });
  const { id: before } = await sandbox.createSnapshot();
  await sandbox.run('mkdir many && cd many && touch {1..10500}');
  const { id } = await sandbox.createSnapshot({ ifChanged: true });
  const { snapshots } = await sandbox.history.get();
  expect(snapshots.find((each) => each.id === id)?.changes.created).toBe(10_500);
  expect(await sandbox.diff(before, id)).toHaveLength(10_501);
});
