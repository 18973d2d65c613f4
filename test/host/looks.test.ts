import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findControlGroups } from '../../bridge-server/runtimes/jail/control-groups/find-control-groups.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { hostOfTests } from './host-of-tests.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const found = await findControlGroups();
/** They count the processes of a jail. */
const lack = (await whatJailsLack()) ?? (found.type === 'none' ? found.reason : undefined);

describe.skipIf(lack)(`looks for changes${lack ? ` (not here: ${lack})` : ''}`, () => {
  const opened = hostOfTests();

  test('H-3 a snapshot looks at no file where nothing has run since the last look', async () => {
    await using sandbox = await Sandbox.create({ backend: opened.host.backend });
    await sandbox.run('echo 1 > ~/note');
    const first = await sandbox.createSnapshot();
    // What no sandbox can do: to change its files from outside. Nobody looks, so nobody sees it.
    const [home] = globSync(join(opened.folder, 'roots/*/roots/*/upper/home/user'));
    writeFileSync(join(home ?? '', 'outside'), 'from the host');
    expect((await sandbox.createSnapshot()).tree).toBe(first.tree);
    await sandbox.run('true');
    const third = await sandbox.createSnapshot();
    expect(await sandbox.diff(first.id, third.id)).toMatchObject([{ path: '/home/user/outside' }]);
  });

  test('H-4 what runs on in the background is looked at, also once it has ended', async () => {
    await using sandbox = await Sandbox.create({ backend: opened.host.backend });
    const background = 'read line < ~/go-1; echo late > ~/late; read line < ~/go-2; echo later >> ~/late';
    await sandbox.run(`mkfifo ~/go-1 ~/go-2; (${background}) > /dev/null 2>&1 &`);
    const before = await sandbox.createSnapshot();
    const late = async () => {
      const { id } = await sandbox.createSnapshot();
      return (await sandbox.diff(before.id, id)).map(({ path, sizeBytes }) => [path, sizeBytes]);
    };
    expect(await late()).toEqual([]);
    await sandbox.run('echo > ~/go-1');
    await expect.poll(late).toEqual([['/home/user/late', 5]]);
    await sandbox.run('echo > ~/go-2');
    await expect.poll(late).toEqual([['/home/user/late', 11]]);
  });
});
