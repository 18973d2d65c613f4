import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { buildHostProgram } from '../../bridge-server/programs/build-host-program.ts';
import { runHostTool } from '../../bridge-server/programs/host-tool.ts';
import { probeQuotas } from '../../bridge-server/roots/probe-quotas.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { createProgress } from '../../host/progress.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openBtrfsVolume, whatBtrfsLacks } from '../fixtures/btrfs-volume.ts';
import { openExt4Volume, whatExt4Lacks } from '../fixtures/ext4-volume.ts';
import { leastDiskMiB } from './least-disk.ts';
import { makeTestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const [projectLack, plainLack, btrfsLack] = [
  await whatExt4Lacks(true),
  await whatExt4Lacks(false),
  await whatBtrfsLacks(),
];
const jailLack = await whatJailsLack();
const why = (lack: string | undefined) => (lack ? ` (not here: ${lack})` : '');

describe('O-9 what of the kernel holds roots to their disks, found out by filling one', () => {
  let launcher: string;
  beforeAll(async () => {
    launcher = await buildHostProgram('launcher', {
      cache: new CacheFolder(cachePath()),
      progress: createProgress(),
    });
  });

  test.skipIf(projectLack)(`projects of an ext4 that is mounted for it${why(projectLack)}`, async () => {
    await using volume = await openExt4Volume({ sizeBytes: 33_554_432, hasQuotas: true });
    const found = await probeQuotas(volume.folder, { launcher });
    expect(found).toMatchObject({ type: 'found', kind: 'project-quota' });
    if (found.type === 'found') await found.quotas[Symbol.asyncDispose]();
  });

  test.skipIf(plainLack)(`nothing of one that is not, and what would help${why(plainLack)}`, async () => {
    await using volume = await openExt4Volume({ sizeBytes: 33_554_432, hasQuotas: false });
    const missing = await probeQuotas(volume.folder, { launcher });
    expect(missing).toMatchObject({ type: 'missing', reason: expect.stringContaining('prjquota') });
  });

  test.skipIf(btrfsLack)(
    `subvolumes of a btrfs whose quotas are on, and of no other${why(btrfsLack)}`,
    async () => {
      await using volume = await openBtrfsVolume({ sizeBytes: 2 ** 28 });
      const missing = await probeQuotas(volume.folder, { launcher });
      expect(missing).toMatchObject({
        type: 'missing',
        reason: expect.stringContaining('btrfs quota enable'),
      });
      await runHostTool('btrfs', ['quota', 'enable', volume.folder]);
      const found = await probeQuotas(volume.folder, { launcher });
      expect(found).toMatchObject({ type: 'found', kind: 'btrfs-quota' });
      if (found.type === 'found') await found.quotas[Symbol.asyncDispose]();
      expect(await probeQuotas(volume.folder, { launcher, isBtrfs: false })).toMatchObject({
        type: 'missing',
      });
    },
  );
});

const volumes = [
  {
    kind: 'project-quota',
    lack: jailLack ?? projectLack,
    open: (): Promise<Volume> => openExt4Volume({ sizeBytes: 2 ** 31, hasQuotas: true }),
  },
  {
    kind: 'btrfs-quota',
    lack: jailLack ?? btrfsLack,
    open: async (): Promise<Volume> => {
      const volume = await openBtrfsVolume();
      await runHostTool('btrfs', ['quota', 'enable', volume.folder]);
      return volume;
    },
  },
] as const;

type Volume = AsyncDisposable & { readonly folder: string };

for (const { kind, lack, open } of volumes) {
  test.skipIf(lack)(
    `O-9 past the limit of a disk a ${kind} has writes refused, and room comes back by deleting${why(lack)}`,
    { timeout: 240_000 },
    async () => {
      await using stack = new AsyncDisposableStack();
      const volume = stack.use(await open());
      const files = stack.use(await makeTestFolder(undefined, { place: volume.folder, layer: 'own' }));
      const host = stack.use(await openHost(files.options));
      const diskMiB = (await leastDiskMiB(host.backend)) + 150;
      const sandbox = await Sandbox.create({ backend: host.backend, diskMiB });
      stack.defer(() => sandbox.close());
      expect(sandbox.info.diskHeldBy).toBe(kind);
      const dd = await sandbox.run(`dd if=/dev/urandom of=large bs=1M count=${diskMiB + 100} status=none`);
      expect(dd).toMatchObject({ exitCode: 1, reason: 'exited' });
      expect(dd.stderr).toMatch(/quota exceeded|No space left/i);
      const { stdout, unsaved } = await sandbox.run(
        'rm large && sync && echo small > small && cat small && df -m --output=size /',
      );
      const [small, , sizeMiB] = stdout.split('\n');
      expect([small, unsaved]).toEqual(['small', undefined]);
      if (kind === 'project-quota') expect(Number(sizeMiB)).toBeLessThanOrEqual(diskMiB);
      const again = await sandbox.run('head -c 100000000 /dev/urandom > other');
      expect([again.exitCode, again.unsaved]).toEqual([0, undefined]);
    },
  );
}

const fullLack = jailLack ?? plainLack;
test.skipIf(fullLack)(
  `B-10 a bridge starts when its disk is full, and snapshots and sandboxes can be deleted then${why(fullLack)}`,
  { timeout: 240_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const volume = stack.use(await openExt4Volume({ sizeBytes: 2 ** 31, hasQuotas: false }));
    const files = stack.use(await makeTestFolder(undefined, { place: volume.folder, layer: 'own' }));
    const freeBytes = () => {
      const { bavail, bsize } = statfsSync(volume.folder);
      return bavail * bsize;
    };
    const [spare, id] = await (async () => {
      await using host = await openHost(files.options);
      const make = async (...commands: string[]) => {
        const sandbox = await Sandbox.create({ backend: host.backend });
        for (const command of commands) {
          await sandbox.run(command);
          await sandbox.createSnapshot({ ifChanged: true });
        }
        await sandbox.close();
        return sandbox.id;
      };
      return [
        await make('head -c 50000000 /dev/urandom > large'),
        await make('head -c 5000000 /dev/urandom > large', 'rm large'),
      ] as const;
    })();
    for (let bytes = 2 ** 30; bytes >= 4_096; bytes /= 2) {
      const file = join(volume.folder, `filling-${bytes}`);
      if (freeBytes() > bytes) await runHostTool('fallocate', ['--length', String(bytes), file]);
    }
    expect(freeBytes()).toBeLessThan(100_000);
    const host = stack.use(await openHost(files.options));
    const sandbox = await Sandbox.open(id, { backend: host.backend });
    const head = await sandbox.history.head();
    const large = (await sandbox.history.log()).find(
      ({ id, changes }) => id !== head && changes.paths.some((path) => path.endsWith('large')),
    );
    if (large === undefined) throw new Error('The large file is in no snapshot');
    await sandbox.history.deleteSnapshot(large.id);
    expect(await sandbox.history.collectGarbage()).toBeGreaterThan(4_000_000);
    await sandbox.close();
    await host.backend.delete({ id: spare });
    expect(freeBytes()).toBeGreaterThan(50_000_000);
  },
);
