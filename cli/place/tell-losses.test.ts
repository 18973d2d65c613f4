import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { shellDriver } from '../../runtimes/shell/shell-driver.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../sandbox/backend/memory-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { tellLosses } from './tell-losses.ts';

/** A place whose stores take nothing once a sandbox was made. */
async function openFull(names: readonly string[], letGo: () => Promise<void> = async () => undefined) {
  const host = new MemoryHost(
    shellDriver({ quota: async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false }) }),
  );
  const place = tellLosses({
    type: 'folder',
    name: 'folder',
    backend: new LocalBackend(host),
    [Symbol.asyncDispose]: letGo,
  });
  const { backend } = place;
  const sandboxes = await Promise.all(names.map((name) => Sandbox.create({ backend, name })));
  for (const sandbox of sandboxes) await sandbox.createSnapshot();
  for (const store of host.stores.values())
    store.commit = async () => {
      throw new SandboxError('storage-full', 'the disk is full');
    };
  for (const sandbox of sandboxes) await sandbox.run('echo lost > file');
  return { place, backend, sandboxes };
}

test('H-4 letting go of a place says which sandboxes have lost their last changes', async () => {
  const { place, sandboxes } = await openFull(['one', 'two']);
  for (const sandbox of sandboxes) await sandbox.close();
  await expect(place[Symbol.asyncDispose]()).rejects.toMatchObject({
    code: 'storage-full',
    message:
      'The last changes of "one" are lost: the disk is full\nThe last changes of "two" are lost: the disk is full',
  });
});

test('H-4 losses are said also where letting go of the place fails', async () => {
  const failure = new Error('the folder is gone');
  const { place, sandboxes } = await openFull(['one'], () => Promise.reject(failure));
  for (const sandbox of sandboxes) await sandbox.close();
  await expect(place[Symbol.asyncDispose]()).rejects.toMatchObject({
    name: 'SuppressedError',
    error: { code: 'storage-full', message: 'The last changes of "one" are lost: the disk is full' },
    suppressed: failure,
  });
});

test('H-4 a sandbox that was deleted has lost nothing', async () => {
  const { place, backend, sandboxes } = await openFull(['one']);
  for (const sandbox of sandboxes) {
    await sandbox.close();
    await Sandbox.delete(sandbox.id, { backend });
  }
  await place[Symbol.asyncDispose]();
  expect(await Sandbox.list({ backend })).toEqual([]);
});
