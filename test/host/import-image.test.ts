import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import { CacheFolder } from '../../host/cache/cache-folder.ts';
import { placeImage } from '../../host/images/place-image.ts';
import { createProgress } from '../../host/progress.ts';
import type { ImageOrigin } from '../../images/import/image-origin.ts';
import { importImage } from '../../images/import/import-image.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { inLongRun } from '../runs-long.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

let files: TestFolder;
let host: Host;
let folder: string;

const lack = await whatJailsLack();

describe.skipIf(lack)(`an image that was imported${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    host = await openHost(files.options);
    folder = await mkdtemp(join(tmpdir(), 'coppice-import-'));
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function provide(name: string, origin: ImageOrigin) {
    const cache = new CacheFolder(join(folder, 'cache'));
    const image = await importImage({ name, origin }, { cache, progress: createProgress() });
    await placeImage(image, { to: join(files.options.folder, 'images'), isDefault: false });
    return image;
  }

  test('R-1 starts from a folder with nothing in it but a shell of this host and its libraries', async () => {
    const root = join(folder, 'root');
    await copyProgram('/bin/bash', root);
    await provide('shell', { type: 'folder', path: root });
    await using sandbox = await Sandbox.create({ backend: host.backend, image: 'shell' });
    const { stdout, files: changed } = await sandbox.run(
      'echo "bash $((6 * 7))"; cd /; echo *; echo made > /home/user/f',
      {
        user: 'root',
      },
    );
    expect(stdout).toMatch(/^bash 42\n/);
    expect(stdout).not.toMatch(/\betc\/|\bboot\b/);
    expect(changed.created).toContain('/home/user/f');
  });

  longTest('R-1 H-2 what one sandbox exports begins another with the same tree', async () => {
    await using first = await Sandbox.create({ backend: host.backend });
    await first.run('mkdir -p /srv/work && echo kept > /srv/work/note && ln /srv/work/note /srv/work/same', {
      user: 'root',
    });
    const { id } = await first.createSnapshot({ label: 'to export' });
    const path = join(folder, 'exported.tar');
    await using archive = await first.exportTar({ at: id });
    await pipeline(Readable.from(archive), createWriteStream(path));
    const { manifest } = await provide('exported', { type: 'tarball', from: path, sha256: undefined });
    const { snapshots } = await first.history.get();
    expect(manifest.tree).toBe(snapshots.find((one) => one.id === id)?.tree);
    await using second = await Sandbox.create({ backend: host.backend, image: 'exported' });
    const { stdout } = await second.run('cat /srv/work/same; python3 -c "print(6 * 7)"');
    expect(stdout).toBe('kept\n42\n');
  });
});

/** Copies a program of this host and the libraries that it loads into a root, to where they are here. */
async function copyProgram(program: string, root: string): Promise<void> {
  const needed = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const path of [program, ...needed]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await cp(await realpath(path), join(root, path));
  }
}
