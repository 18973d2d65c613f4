import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import { openRegistry } from '../../bridge-server/stores/registry.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

/** What is in memory is on no disk, so nothing can limit how fast it is. */
const inMemory = '/dev/shm';
const lack = (await whatJailsLack()) ?? (existsSync(inMemory) ? undefined : `there is no ${inMemory}`);

test.skipIf(lack)(
  `H-10 O-9 a sandbox with a limit of its disk's speed does not start where there is none any more, and can be exported${lack ? ` (not here: ${lack})` : ''}`,
  async () => {
    await using files = await makeTestFolder('overlay', { place: inMemory, layer: 'own' });
    const { folder } = files.options;
    let info: SandboxInfo;
    {
      await using host: Host = await openHost(files.options);
      const sandbox = await Sandbox.create({ backend: host.backend });
      info = sandbox.info;
      await sandbox.createSnapshot({ label: 'kept' });
      await sandbox.close();
    }
    {
      // As it was left by a host that could hold it to that.
      using registry = openRegistry(folder);
      await registry.sandboxes.remove(info.id);
      await registry.sandboxes.add({ ...info, ioMiBps: 5 });
    }
    await using host: Host = await openHost(files.options);
    await expect(Sandbox.open(info.id, { backend: host.backend })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('it may have ioMiBps 5 at most, and nothing here holds it to that'),
      details: { feature: 'ioMiBps', sandbox: info.id },
    });
    const archive = await host.backend.exportTar({ id: info.id });
    expect((await archive.read())?.bytes.length).toBeGreaterThan(0);
    await archive.close();
  },
);
