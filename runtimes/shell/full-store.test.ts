import { beforeEach, expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../sandbox/backend/memory-host.ts';
import { deleteSandbox } from '../../sdk/adapters/delete-sandbox.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { shellDriver } from './shell-driver.ts';

let sandbox: Sandbox;
/** Lets the sandbox's store take something, or not. */
let setFull: (isFull: boolean) => void;
let backend: LocalBackend;

beforeEach(async () => {
  const quota = async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false });
  const host = new MemoryHost(shellDriver({ quota }));
  backend = new LocalBackend(host);
  sandbox = await Sandbox.create({ backend, name: 'work' });
  await sandbox.createSnapshot();
  const store = host.stores.get(sandbox.id);
  if (!store) throw new Error('It has no store');
  const commit = store.commit.bind(store);
  const refuse = async () => {
    throw new SandboxError('storage-full', 'Cannot save to the store: the disk is full');
  };
  setFull = (isFull) => {
    store.commit = isFull ? refuse : commit;
  };
});

test('H-4 a shell whose last changes its store cannot take stays open, unless they are discarded, which is told', async () => {
  setFull(true);
  await sandbox.run('echo lost > file');
  const events: SandboxEvent[] = [];
  await sandbox.subscribe((event) => events.push(event));
  await expect(sandbox.close()).rejects.toMatchObject({ code: 'storage-full', details: { unsaved: true } });
  expect((await sandbox.run('cat file')).stdout).toBe('lost\n');
  await sandbox.close({ discard: true });
  expect(events.at(-1)).toMatchObject({
    type: 'closed',
    lost: {
      code: 'storage-full',
      message: 'The last changes of "work" are lost: Cannot save to the store: the disk is full',
    },
  });
  setFull(false);
  const again = await Sandbox.open(sandbox.id, { backend });
  expect((await again.run('echo kept > file')).exitCode).toBe(0);
  await again.close();
});

test('H-4 a sandbox whose last changes its store could not take can be deleted, as can what comes from it', async () => {
  setFull(true);
  await sandbox.run('echo lost > file');
  await deleteSandbox(sandbox, backend);
  expect(await Sandbox.list({ backend })).toEqual([]);
});

test('H-4 a command may write again as soon as its store has room', async () => {
  setFull(true);
  await sandbox.run('echo one > file');
  await expect(sandbox.createSnapshot()).rejects.toMatchObject({ code: 'storage-full' });
  expect((await sandbox.run('true')).unsaved).toMatchObject({ code: 'storage-full' });
  expect((await sandbox.run('echo two > other')).exitCode).toBe(1);
  setFull(false);
  expect((await sandbox.run('echo two > other && cat file other')).stdout).toBe('one\ntwo\n');
  await sandbox.close();
});
