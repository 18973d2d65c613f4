import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { openHostToRead } from '../../bridge-server/main/open-host-to-read.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

describe.skipIf(lack)(`a folder that is opened to read${lack ? ` (not here: ${lack})` : ''}`, () => {
  test('H-3 has the snapshots and files of a sandbox that another has open, and changes nothing', async () => {
    await using files = await makeTestFolder();
    const { folder } = files.options;
    await using host = await openHost(files.options);
    await using sandbox = await Sandbox.create({ backend: host.backend, name: 'read' });
    await sandbox.files.write('/home/user/a', 'one');
    const { id } = await sandbox.createSnapshot({ label: 'first' });
    await sandbox.history.setTag('good', id);
    await using read = openHostToRead(folder);
    const { backend } = read;
    expect((await Sandbox.list({ backend })).map(({ name }) => name)).toEqual(['read']);
    await using seen = await Sandbox.open(sandbox.id, { backend, readOnly: true });
    expect(await seen.history.head()).toBe(id);
    expect([...(await seen.history.tags())]).toEqual([['good', id]]);
    expect(await seen.files.read('/home/user/a', { at: id })).toBe('one');
    await expect(seen.run('true')).rejects.toMatchObject({ code: 'read-only' });
    await expect(seen.createSnapshot()).rejects.toMatchObject({ code: 'read-only' });
    await expect(Sandbox.delete(sandbox.id, { backend })).rejects.toMatchObject({ code: 'read-only' });
    await expect(Sandbox.open(sandbox.id, { backend })).rejects.toMatchObject({ code: 'read-only' });
    await expect(Sandbox.create({ backend })).rejects.toMatchObject({ code: 'read-only' });
    expect((await sandbox.run('cat a')).stdout).toBe('one');
  });

  test('is refused where there has never been a host, and stays as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-empty-'));
    try {
      expect(() => openHostToRead(folder)).toThrow('coppice init');
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
