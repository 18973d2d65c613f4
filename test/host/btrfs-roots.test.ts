import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildHostProgram } from '../../bridge-server/programs/build-host-program.ts';
import { openRootMaker } from '../../bridge-server/roots/open-root-maker.ts';
import { FolderScanner } from '../../bridge-server/roots/scan/folder-scanner.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { createProgress } from '../../host/progress.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import { openBtrfsVolume } from '../fixtures/btrfs-volume.ts';
import { type DiskCommand, diskCommands } from './roots/disk-commands.ts';
import { type LabRoot, RootLab } from './roots/root-lab.ts';
import { rootPrograms } from './roots/root-programs.ts';
import { rootRuns, rootRunsTimeoutMs } from './roots/root-runs.ts';
import { describeFiles, startTree } from './roots/start-tree.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const uid = 65534;
const asUser = { uid, gid: uid, encoding: 'utf8', cwd: '/', env: { PATH: process.env.PATH } } as const;
const lack = (await whatJailsLack('btrfs')) ?? lackOf(() => execFileSync('python3', ['--version']));
const launcher = await buildHostProgram('launcher', {
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});
const programs = await rootPrograms;
const { scanner, unpacker } = programs;
const script = (name: string) => join(import.meta.dirname, 'roots', name);

describe.skipIf(lack)(`roots that are held on btrfs${lack ? ` (not here: ${lack})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let lab: RootLab;
  let base: ObjectId;
  beforeAll(async () => {
    const volume = stack.use(await openBtrfsVolume());
    lab = stack.use(await RootLab.open('btrfs', { ...programs, place: volume.folder }));
    base = lab.seal(startTree());
  });
  afterAll(() => stack.disposeAsync());

  /** Collects to publish, and publishes; `meanwhile` is done once the files are held. */
  async function publish(made: LabRoot, meanwhile: () => void = () => {}): Promise<ObjectId> {
    const onRead = vi.fn(async () => meanwhile());
    await made.root.collect(made.tree, { isPublished: true, onRead });
    expect(onRead).toHaveBeenCalledOnce();
    const id = made.seal();
    made.root.published(id);
    return id;
  }

  test('O-7 H-3: what is held is what was there, whatever is done meanwhile; a root of it needs nothing but the disk', {
    timeout: rootRunsTimeoutMs,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(diskCommands(12), diskCommands(12), async (before, meanwhile) => {
        await using first = await lab.make(base, base);
        await using second = await branchOf(first, before, meanwhile);
        await using _third = await branchOf(second, meanwhile, before);
      }),
      // A run mounts and reads whole roots: shrinking would take minutes.
      { numRuns: rootRuns('btrfs'), endOnFailure: true },
    );
  });

  async function branchOf(
    parent: LabRoot,
    before: readonly DiskCommand[],
    meanwhile: readonly DiskCommand[],
  ): Promise<LabRoot> {
    parent.operate(before);
    const there = describeFiles(parent.readAll());
    const id = await publish(parent, () => parent.operate(meanwhile));
    expect(describeFiles(parent.tree)).toEqual(there);
    const branch = await lab.makeFromNothing(id, base);
    expect(describeFiles(branch.readAll())).toEqual(there);
    expect(await branch.root.collect(branch.tree)).toBe(0);
    expect(branch.seal()).toBe(id);
    await parent.root.collect(parent.tree);
    expect(describeFiles(parent.tree)).toEqual(describeFiles(parent.readAll()));
    return branch;
  }

  test('O-7 what is held of a tree that no sandbox has any more is deleted, also below what others have', async () => {
    const held = () => readdirSync(join(lab.folder, 'maker', 'btrfs-trusted', 'kept'));
    const make = (sandbox: string, tree: ObjectId) => lab.maker.make(tree, { sandbox, base, read: lab.read });
    const first = startTree();
    first.create(first.root, 'secret', { mode: 0o100600, uid: 0, gid: 0 });
    const secret = lab.seal(first);
    const parent = await make('parent', secret);
    // The base, and the secret.
    const before = held().length - 1;
    const { mount } = parent;
    if (mount.type !== 'overlay') throw new Error('It is no overlay');
    writeFileSync(join(mount.upper, 'later'), 'written since');
    const live = LiveTree.from(loadTree({ read: lab.read }, secret).snapshot, {
      content: new ContentCache({ read: lab.read }),
    });
    await parent.collect(live, { isPublished: true, onRead: async () => {} });
    const later = lab.seal(live);
    parent.published(later);
    const fork = await make('fork', later);
    for (const root of [parent, fork]) await root[Symbol.asyncDispose]();
    expect(held().length).toBe(before + 2);
    await lab.maker.retain('parent', new Set());
    expect(held().length).toBe(before);
    // It is made anew, of what the fork itself has.
    await (await make('fork', later))[Symbol.asyncDispose]();
    expect(held().length).toBe(before + 1);
    await lab.maker.retain('fork', new Set());
    expect(held().length).toBe(before);
  });

  test('H-3: the first look in a branch tells what changed since that in its parent, not all', async () => {
    await using parent = await lab.make(base, base);
    for (let n = 0; n < 40; n++) writeFileSync(join(parent.path, `own-${n}`), 'some');
    // What was changed within two ticks of a clock counts once more.
    const writtenMs = Date.now();
    while (Date.now() < writtenMs + 30) await new Promise((resolve) => setImmediate(resolve));
    await using branch = await lab.makeFromNothing(await publish(parent), base);
    writeFileSync(join(branch.path, 'own-7'), 'more');
    writeFileSync(join(branch.path, 'one'), 'some');
    const look = vi.spyOn(FolderScanner.prototype, 'look');
    expect(await branch.root.collect(branch.tree)).toBe(3);
    const found: Awaited<ReturnType<FolderScanner['look']>> = await look.mock.results[0]?.value;
    look.mockRestore();
    expect([...found.keys()].sort()).toEqual(['', 'one', 'own-7']);
    expect(branch.seal()).toBe(lab.seal(branch.readAll()));
  });

  test('H-2: no two files of a root have the same number, wherever they came from', async () => {
    await using parent = await lab.make(base, base);
    for (let n = 0; n < 40; n++) writeFileSync(join(parent.path, `own-${n}`), '');
    await using branch = await lab.makeFromNothing(await publish(parent), base);
    for (let n = 0; n < 40; n++) writeFileSync(join(branch.path, `more-${n}`), '');
    const listed = execFileSync('find', [
      branch.path,
      '!',
      '-links',
      '+1',
      '-printf',
      '%i\n',
      '-o',
      '-type',
      'd',
      '-printf',
      '%i\n',
    ]);
    const numbers = String(listed).trim().split('\n');
    expect(numbers.length).toBeGreaterThan(80);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('H-5 O-7: a branch and what it was made of do not see what the other does', async () => {
    await using parent = await lab.make(base, base);
    writeFileSync(join(parent.path, 'both'), 'before');
    const id = await publish(parent);
    await using branch = await lab.makeFromNothing(id, base);
    writeFileSync(join(parent.path, 'parent'), '');
    writeFileSync(join(branch.path, 'both'), 'after');
    rmSync(join(branch.path, 'd'));
    await using again = await lab.makeFromNothing(id, base);
    expect(again.seal()).toBe(id);
    expect(lab.seal(again.readAll())).toBe(id);
    expect([await parent.root.collect(parent.tree), await branch.root.collect(branch.tree)]).toEqual([2, 3]);
  });

  test('B2-39: attributes that no tree tells of are nothing that a root of the same tree has', async () => {
    await using parent = await lab.make(base, base);
    writeFileSync(join(parent.path, 'file'), 'some');
    const told = await publish(parent);
    const name = join(parent.path, 'listed');
    writeFileSync(name, 'some');
    // user::rw-, user:1000:rw-, group::r--, mask::rw-, other::r-- (linux/posix_acl_xattr.h)
    const list =
      '02000000' +
      '0100060' +
      '0ffffffff' +
      '02000600' +
      'e8030000' +
      '04000400' +
      'ffffffff' +
      '10000600' +
      'ffffffff' +
      '20000400' +
      'ffffffff';
    const set =
      'import os,sys; os.setxattr(sys.argv[1],"system.posix_acl_access",bytes.fromhex(sys.argv[2]))';
    execFileSync('python3', ['-c', set, name, list]);
    const untold = await publish(parent);
    await using _branch = await lab.makeFromNothing(told, base);
    await expect(lab.makeFromNothing(untold, base)).rejects.toThrow('was read');
  });

  test('O-7: nothing that was deleted is left, and of what was kept nothing after the end', async () => {
    await using own = await openBtrfsVolume();
    await using other = await RootLab.open('btrfs', { ...programs, place: own.folder });
    const tree = other.seal(startTree());
    {
      await using made = await other.make(tree, tree);
      writeFileSync(join(made.path, 'new'), 'some');
      await made.root.collect(made.tree, { isPublished: true });
      made.root.published(made.seal());
      expect(await own.subvolumes()).toHaveLength(3);
    }
    const isKept = expect.stringContaining('/kept/');
    expect(await own.subvolumes()).toEqual([isKept, isKept]);
    await other.maker[Symbol.asyncDispose]();
    expect(await own.subvolumes()).toEqual([]);
  });

  test('H-4 O-7: what a killed process has left is deleted at the next start', async () => {
    await using own = await openBtrfsVolume();
    const { signal } = spawnSync(process.execPath, [
      script('leave-subvolumes.ts'),
      own.folder,
      launcher,
      scanner,
      unpacker,
    ]);
    expect(signal).toBe('SIGKILL');
    mkdirSync(join(own.folder, 'maker', 'probe-left'));
    execFileSync('btrfs', ['subvolume', 'create', join(own.folder, 'maker', 'probe-left', 'made')]);
    expect(await own.subvolumes()).toHaveLength(4);
    await using _maker = await openRootMaker({
      folder: join(own.folder, 'maker'),
      launcher,
      ...programs,
      prefer: 'btrfs',
    });
    expect(await own.subvolumes()).toEqual([]);
  });

  test('B-10: a full volume refuses a root by its code, and loses nothing of those that are there', async () => {
    await using small = await openBtrfsVolume({ sizeBytes: 128 * 2 ** 20 });
    await using other = await RootLab.open('btrfs', { ...programs, place: small.folder });
    const start = other.seal(startTree());
    const larger = startTree();
    const large = larger.create(larger.root, 'large', { mode: 0o100644, uid: 0, gid: 0 });
    for (let at = 0; at < 2 ** 24; at += 2 ** 20)
      larger.write(large, at, new Uint8Array(2 ** 20).fill(at >> 20));
    const largeId = other.seal(larger);
    await using made = await other.make(start, start);
    writeFileSync(join(made.path, 'kept'), 'some');
    const filling = join(small.folder, 'filling');
    spawnSync('dd', ['if=/dev/urandom', `of=${filling}`, 'bs=64k']);
    await expect(other.make(largeId, start)).rejects.toMatchObject({ code: 'storage-full', retryable: true });
    expect(other.leftovers()).toHaveLength(1);
    await made.root.collect(made.tree, { isPublished: true });
    const id = made.seal();
    made.root.published(id);
    expect(other.seal(made.readAll())).toBe(id);
    rmSync(filling);
    await using branch = await other.make(id, start);
    expect(other.seal(branch.readAll())).toBe(id);
    await using _larger = await other.make(largeId, start);
  });

  const userLack = lackOf(() => {
    execFileSync('unshare', ['--user', '--map-root-user', 'true'], asUser);
    // A checkout below a private home, such as root's, is not theirs to read.
    execFileSync(process.execPath, ['--check', script('btrfs-as-user.ts')], asUser);
  });
  describe.skipIf(userLack)(`of an ordinary user${userLack ? ` (not here: ${userLack})` : ''}`, () => {
    async function runAsUser(mountOptions: string): Promise<unknown> {
      await using own = await openBtrfsVolume({ mountOptions });
      const inside = (name: string) => join(own.folder, name);
      const folder = inside('own');
      chmodSync(join(own.folder, '..'), 0o755);
      copyFileSync(launcher, inside('launcher'));
      copyFileSync(scanner, inside('scanner'));
      copyFileSync(unpacker, inside('unpacker'));
      mkdirSync(folder);
      execFileSync('chown', [`${uid}:${uid}`, folder]);
      const args = [script('btrfs-as-user.ts'), folder, ...['launcher', 'scanner', 'unpacker'].map(inside)];
      const printed = execFileSync(process.execPath, args, asUser);
      return { ...JSON.parse(printed), left: await own.subvolumes() };
    }

    test('O-7: they are made where a user may delete them', async () => {
      expect(await runAsUser('user_subvol_rm_allowed')).toMatchObject({
        ...{ kind: 'btrfs', why: 'a subvolume was snapshotted, mounted and deleted' },
        ...{ count: 3, again: 0, left: [] },
      });
    });

    test('H-10 O-7: where not, the next best is chosen and says why', async () => {
      expect(await runAsUser('defaults')).toMatchObject({
        kind: 'overlay',
        why: expect.stringContaining('no btrfs, as Cannot delete'),
        left: [],
      });
    });
  });

  test('H-10: a folder elsewhere has overlays, and who insists is refused by name', async () => {
    const elsewhere = join(tmpdir(), `coppice-elsewhere-${process.pid}`);
    const asked = openRootMaker({ folder: elsewhere, launcher, ...programs, prefer: 'btrfs' });
    await expect(asked).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'btrfs' } });
    rmSync(elsewhere, { recursive: true });
  });
});

function lackOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return String(error).split('\n')[0];
  }
}
