import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doctor } from '../../bridge-server/main/doctor.ts';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { type BtrfsVolume, openBtrfsVolume } from '../fixtures/btrfs-volume.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack('btrfs');

/** Two files, of which the second is never ahead of the first, and never more than one behind. */
const writer = `
for ((n = 0; ; n++)); do
  for name in first second; do echo $n > next; mv next $name; done
  if ((n == 0)); then echo begun; fi
done`;

describe.skipIf(lack)(`sandboxes on btrfs${lack ? ` (not here: ${lack})` : ''}`, () => {
  let volume: BtrfsVolume;
  let files: TestFolder;
  let host: Host;
  beforeAll(async () => {
    volume = await openBtrfsVolume();
    files = await makeTestFolder(undefined, { place: volume.folder, layer: 'own' });
    host = await openHost(files.options);
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
    await volume?.[Symbol.asyncDispose]();
  });

  const create = () => Sandbox.create({ backend: host.backend });
  const layers = () => readdirSync(join(files.options.folder, 'roots', 'btrfs-trusted', 'layers'));

  async function begin(sandbox: Sandbox): Promise<AsyncDisposable> {
    const begun = Promise.withResolvers<void>();
    const command = await sandbox.commands.run(writer, { background: true, onStdout: () => begun.resolve() });
    await begun.promise;
    return { [Symbol.asyncDispose]: () => command.kill() };
  }

  async function rounds(sandbox: Sandbox): Promise<[first: number, behind: number]> {
    const [first = 0, second = 0] = await Promise.all(
      ['first', 'second'].map(async (name) => Number(await sandbox.files.read(`/home/user/${name}`))),
    );
    return [first, first - second];
  }

  test('H-10: btrfs is what a folder on btrfs gets, and the doctor says so', async () => {
    expect(host.snapshots).toBe('btrfs');
    expect(await doctor({ ...files.options, chosen: host.isolation })).toContainEqual({
      name: 'btrfs roots',
      state: 'ok',
      why: 'a subvolume was snapshotted, mounted and deleted',
    });
  });

  test('O-7 R-2 H-3: forks of a sandbox that writes are of one moment each, and nothing is unpacked for them', async () => {
    await using sandbox = await create();
    await using _writing = await begin(sandbox);
    let before = -1;
    for (let n = 0; n < 4; n++) {
      const [fork] = await sandbox.fork();
      if (!(fork instanceof Sandbox)) throw fork;
      await using _fork = fork;
      const [first, behind] = await rounds(fork);
      expect(first).toBeGreaterThan(before);
      expect([0, 1]).toContain(behind);
      expect((await fork.run('pgrep -c bash')).stdout.trim()).toBe('0');
      before = first;
    }
    expect(layers()).toHaveLength(1);
  });

  test('O-7 R-2 H-5: going back and forth between snapshots unpacks nothing either', async () => {
    await using sandbox = await create();
    const ids: SnapshotId[] = [];
    for (const text of ['one', 'two']) {
      await sandbox.run(`echo ${text} > file; mkdir -p d; touch d/${text}; rm -f d/one; ln -f file d/link`);
      ids.push((await sandbox.createSnapshot()).id);
    }
    for (const [n, text] of [
      [0, 'one'],
      [1, 'two'],
      [0, 'one'],
    ] as const) {
      const id = ids[n] ?? expect.fail('no snapshot');
      await sandbox.checkout(id);
      const { stdout } = await sandbox.run('cat file d/link; ls d; stat -c %h file');
      expect(stdout).toBe(`${text}\n${text}\nlink\n${text === 'two' ? 'two\n' : ''}2\n`);
      expect(await sandbox.diff(id, 'now')).toEqual([]);
    }
    expect(layers()).toHaveLength(1);
  });

  test('O-7: no subvolume is left when the host has closed', async () => {
    expect((await volume.subvolumes()).length).toBeGreaterThan(0);
    await host[Symbol.asyncDispose]();
    expect(await volume.subvolumes()).toEqual([]);
  });
});
