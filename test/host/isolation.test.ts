import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostOptions } from '../../bridge-server/main/open-host.ts';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { chooseIsolation } from '../../bridge-server/runtimes/jail/choose-isolation.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { whatJailsLack, whatOwnIdLacks } from './what-jails-lack.ts';

const lack = (await whatJailsLack('copy')) ?? (await whatOwnIdLacks());

describe.skipIf(lack)(`S-5 on a host that has every level${lack ? ` (not here: ${lack})` : ''}`, () => {
  let files: TestFolder;
  let options: HostOptions;
  beforeAll(async () => {
    files = await makeTestFolder();
    options = files.options;
  });
  afterAll(() => files?.[Symbol.asyncDispose]());

  test('namespaces are taken, and Landlock alone where the operator asks for it', async () => {
    const chosen = await Promise.all([
      chooseIsolation('auto', options),
      chooseIsolation('landlock', options),
    ]);
    expect(chosen).toEqual([
      { isolation: 'namespace', why: 'the strongest that works here' },
      { isolation: 'landlock', why: 'the operator asked for it' },
    ]);
  });

  test('what mounts is refused at a level without mounts, and so is a sandbox that others nest in', async () => {
    const asked = openHost({ ...options, isolation: 'landlock', snapshots: 'overlay' });
    await expect(asked).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('jails without namespaces mount nothing'),
    });
    await using host = await openHost({ ...options, isolation: 'landlock', allowNested: true });
    const nested = host.backend.create({ nested: true }, () => undefined);
    await expect(nested).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'nested' } });
    expect(await host.backend.list()).toEqual([]);
    const sandbox = await Sandbox.create({ backend: host.backend });
    await expect(sandbox.network.connect(8_080)).rejects.toMatchObject({ code: 'unsupported' });
    await sandbox.close();
    await Sandbox.delete(sandbox.id, { backend: host.backend });
  });

  test('H-2 owners and set-user-ID bits stay in the tree, and what a jail has of its own does not get there', async () => {
    await using host = await openHost({ ...options, isolation: 'landlock' });
    const sandbox = await Sandbox.create({ backend: host.backend });
    const stat = async (path: string) => {
      const { uid, gid, mode } = await sandbox.files.stat(path);
      return { uid, gid, mode: mode & 0o7777 };
    };
    const before = await Promise.all(['/usr/bin/su', '/etc/issue'].map(stat));
    const { files } = await sandbox.run(
      'touch /usr/bin/su; echo more >> /etc/issue; echo new > ~/new; echo x > /dev/shm/x; echo x > /run/x; sleep 0.1',
    );
    expect(files).toEqual({
      created: ['/home/user/new'],
      modified: ['/etc/issue', '/usr/bin/su'],
      deleted: [],
    });
    expect(before[0]).toMatchObject({ uid: 0, mode: 0o4755 });
    // H-10: without /proc nobody can say what runs.
    await expect(sandbox.processes()).rejects.toMatchObject({ code: 'unsupported' });
    expect(await Promise.all(['/usr/bin/su', '/etc/issue'].map(stat))).toEqual(before);
    expect(await stat('/home/user/new')).toEqual({ uid: 1000, gid: 1000, mode: 0o644 });
    expect((await host.backend.list())[0]).toMatchObject({ id: sandbox.id, isolation: 'landlock' });
    await sandbox.close();
  });

  test('where none works, why each does not is told, and nothing is run', async () => {
    const launcher = `${options.launcher}-that-is-not-there`;
    await expect(chooseIsolation('auto', { ...options, launcher })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/^Cannot run jails on this host: no namespace: .*; no landlock: /),
    });
  });
});
