import { expect, test } from 'vitest';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { MemoryImageHost } from '../fixtures/memory-host.ts';
import { memoryImage } from '../fixtures/memory-image.ts';

test('H-10 O-1: a place without jails refuses a sandbox for others inside, and makes nothing', async () => {
  const place = new MemoryImageHost(await memoryImage());
  place.driver.runtime = 'v86';
  const created = Sandbox.create({ backend: new LocalBackend(place), nested: true });
  await expect(created).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'nested' } });
  expect([place.stores.size, place.infos.size, place.begun.size]).toEqual([0, 0, 0]);
});

test('O-1: a sandbox for others inside is one after it was opened again, and its forks are', async () => {
  const backend = new LocalBackend(new MemoryImageHost(await memoryImage()));
  const sandbox = await Sandbox.create({ backend, nested: true });
  const snapshot = await sandbox.createSnapshot();
  await sandbox.close();
  const again = await Sandbox.open(sandbox.id, { backend });
  expect(again.info.nested).toBe(true);
  await again.close();
  const from = { sandbox: sandbox.id, snapshot: snapshot.id };
  for (const [options, nested] of [
    [{}, true],
    [{ nested: false }, false],
  ] as const) {
    const fork = await Sandbox.create({ backend, from, ...options });
    expect(fork.info.nested).toBe(nested);
    await fork.close();
  }
});
