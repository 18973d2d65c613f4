import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assertFolderIsFree } from '../../bridge-server/main/hold-folder.ts';
import { type ImageProvider, openLocalHost } from '../../bridge-server/main/open-local-host.ts';
import type { Progress } from '../../host/progress.ts';
import { inRepository } from '../../host/repository.ts';
import { provideImage } from '../../images/provide-image.ts';
import { errorTable } from '../../protocol/errors.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { bridgeCommand } from '../fixtures/bridge-command.ts';
import { makeTestFolder, runTestBridge } from './open-test-host.ts';
import { runnableImage } from './runnable-image.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();
const images = [runnableImage];
const progress: Progress = {
  note: () => {},
  warn: () => {},
  step: (_label, work) => work({ bytes: () => {}, detail: () => {} }),
};
const makesNothing: ImageProvider = async (name) => {
  throw new Error(`${name} was asked for`);
};

function isFolderFree(path: string): boolean {
  try {
    assertFolderIsFree(path);
    return true;
  } catch {
    return false;
  }
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-local-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(lack)(
  `sandboxes of this machine in this process${lack ? ` (not here: ${lack})` : ''}`,
  () => {
    test('one call opens a folder with image and programs; the next needs no image, and has what was made', async () => {
      let id = '';
      {
        await using host = await openLocalHost({ folder, images, provideImage, progress });
        await host.prepareImages();
        const sandbox = await Sandbox.create({ backend: host.backend, name: 'local' });
        expect(await sandbox.run('echo kept > ~/a; cat ~/a')).toMatchObject({
          stdout: 'kept\n',
          exitCode: 0,
        });
        ({ id } = sandbox);
        await sandbox.close();
      }
      await using host = await openLocalHost({ folder, progress });
      const sandbox = await Sandbox.open(id, { backend: host.backend });
      expect((await sandbox.run('cat ~/a')).stdout).toBe('kept\n');
      await sandbox.close();
      await expect(Sandbox.create({ backend: host.backend, image: 'absent' })).rejects.toMatchObject({
        code: 'asset-unavailable',
      });
    });

    test('a command that opens the folder again takes what works as found, for walls of the same kind', async () => {
      const open = async (isolation: 'auto' | 'landlock') => {
        await using host = await openLocalHost({ folder, progress, remembersProbes: true, isolation });
        return [host.isolation, host.snapshots, host.networkLack];
      };
      const first = await open('auto');
      expect(JSON.parse(await readFile(join(folder, 'probed'), 'utf8'))).toMatchObject([
        [expect.any(String), expect.arrayContaining(['isolation namespace', 'overlay roots'])],
      ]);
      expect(await open('auto')).toEqual(first);
      const asked = { isolation: 'landlock', why: 'the operator asked for it' };
      expect(await open('landlock')).toEqual([asked, 'copy', expect.any(String)]);
      expect(await open('auto')).toEqual(first);
    });

    test('with images on demand, opening makes none, and a sandbox asks for one', async () => {
      const options = { folder, images, provideImage: makesNothing, imagesOnDemand: true, progress };
      await using host = await openLocalHost(options);
      const failing = Sandbox.create({ backend: host.backend });
      await expect(failing).rejects.toThrow(`${runnableImage} was asked for`);
    });

    test('O-11 while the image of a first sandbox is made, other processes use the folder', async () => {
      const isFree: boolean[] = [];
      const provide: ImageProvider = async (name, options) => {
        isFree.push(isFolderFree(folder));
        return provideImage(name, options);
      };
      const options = { folder, images, provideImage: provide, imagesOnDemand: true, progress };
      {
        await using host = await openLocalHost({ ...options, imageAhead: defaultImage });
        await using sandbox = await Sandbox.create({ backend: host.backend });
        expect((await sandbox.run('echo made')).stdout).toBe('made\n');
        expect(host.backend.images && (await host.backend.images())).toMatchObject([{ isDefault: true }]);
      }
      // Made once without the folder; what is in the cache then is placed with it.
      expect(isFree).toEqual([true, false]);
      const again = { ...options, provideImage: makesNothing, imageAhead: defaultImage };
      await using _host = await openLocalHost(again);
    });

    test('a second one on its folder is refused before it makes anything, and goes on when the first is gone', async () => {
      {
        await using _first = await openLocalHost({ folder, images, provideImage, progress });
        const second = openLocalHost({ folder, images, provideImage: makesNothing, progress });
        await expect(second).rejects.toMatchObject({
          code: 'busy',
          message: `Cannot use ${folder}: process ${process.pid} holds it`,
          details: { folder, pid: process.pid },
        });
      }
      const failing = openLocalHost({ folder, images, provideImage: makesNothing, progress });
      await expect(failing).rejects.toThrow(`${runnableImage} was asked for`);
      await using _next = await openLocalHost({ folder, progress });
    });

    test('a command on the folder of a bridge says at once where that bridge listens', async () => {
      await using files = await makeTestFolder();
      await using bridge = await runTestBridge(files.options);
      const root = files.options.folder;
      const args = [...bridgeCommand, '--one-id', '--port', '0', '--root', root];
      const refused = promisify(execFile)(process.execPath, args, { cwd: inRepository() });
      await expect(refused).rejects.toMatchObject({
        code: errorTable.busy.exitCode,
        stdout: '',
        stderr: `Cannot use ${root}: process ${process.pid} holds it, a bridge that listens at ${bridge.url}\n`,
      });
    });
  },
);
