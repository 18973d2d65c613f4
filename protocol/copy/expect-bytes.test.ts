import { expect, test } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { expectBytes } from './expect-bytes.ts';

test('X-1 what a move sends at most is known before it begins, for a new sandbox and for one that has some of it', async () => {
  const backend = shellBackend();
  await using sandbox = await Sandbox.create({ backend });
  await sandbox.files.write('/home/user/first', new Uint8Array(3_000));
  await sandbox.createSnapshot({ label: 'first' });
  await using fork = await Sandbox.create({ backend, from: { sandbox: sandbox.id, snapshot: 'HEAD' } });
  await sandbox.files.write('/home/user/second', new Uint8Array(2_000));
  const { id: snapshot } = await sandbox.createSnapshot();
  const expected = (into: Sandbox | undefined) =>
    expectBytes(sandbox.connection, { snapshot, into: into?.connection });
  expect(await expected(undefined)).toBe(5_000);
  expect(await expected(fork)).toBe(2_000);
  await fork.close();
  // The move says why it cannot be; the estimate is no reason to fail.
  expect(await expected(fork)).toBe(0);
});
