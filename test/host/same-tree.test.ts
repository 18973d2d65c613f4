import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { HostImages } from '../../bridge-server/sandboxes/host-images.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { MemoryImageHost } from '../fixtures/memory-host.ts';
import { commands, knownFile, knownPath, readWork, runScript, workOfShell } from '../fixtures/same-tree.ts';
import { makeTestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

describe.skipIf(lack)(`a script in a jail${lack ? ` (not here: ${lack})` : ''}`, () => {
  test(`B-8 H-4 gives the same tree as in a shell (${commands.join(' ')})`, async () => {
    const inShell = await workOfShell();
    await using folder = await makeTestFolder();
    await using host = await openHost(folder.options);
    const image = await new HostImages(join(folder.options.folder, 'images')).load({ name: defaultImage });
    const elsewhere = new MemoryImageHost(image);
    await using sandbox = await Sandbox.create({ backend: host.backend });
    const tree = await runScript(sandbox);
    await using copy = await sandbox.copyTo(new LocalBackend(elsewhere));
    const store = elsewhere.stores.get(copy.id);
    const inJail = await readWork(async (id) => store?.readSync(id) ?? image.source.read(id), tree);
    expect(inJail.files[knownPath]).toMatchObject(knownFile);
    expect(inJail.files).toEqual(inShell.files);
    expect(inJail.id).toBe(inShell.id);
  });
});
