import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack('overlay');

describe.skipIf(lack)(`layers of forks${lack ? ` (not here: ${lack})` : ''}`, () => {
  test('B-5 the layer of a fork that nobody has opened is there soon, stays when the fork goes, and ends with its source', async () => {
    await using files = await makeTestFolder('overlay');
    await using bridge = await runTestBridge(files.options);
    const { backend } = bridge.host;
    const { folder = '' } = files.options;
    const layers = () =>
      readdirSync(join(folder, 'roots', 'overlay-trusted', 'layers')).filter((name) => name.includes('-'));
    const sandbox = await Sandbox.create({ backend });
    await sandbox.run('mkdir many && cd many && seq 2000 | split --lines=1 --suffix-length=3');
    const { id: from } = await sandbox.createSnapshot({ label: 'many' });
    expect(layers()).toEqual([]);
    const forks = [await sandbox.connection.history.fork({ id: from })];
    forks.push(await sandbox.connection.history.fork({ id: from }));
    await expect.poll(() => layers()).toHaveLength(1);
    for (const { id } of forks) await Sandbox.delete(id, { backend });
    expect(layers()).toHaveLength(1);
    await sandbox.close();
    await Sandbox.delete(sandbox.id, { backend });
    expect(layers()).toEqual([]);
  });
});
