import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { DiskReserve } from '../../bridge-server/stores/disk-reserve.ts';
import { deleteHostStore, openHostStore } from '../../bridge-server/stores/open-host-store.ts';
import { openRegistry } from '../../bridge-server/stores/registry.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { sampleObject } from '../conformance/sample-objects.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-full-'));
const mounted: string[] = [];
afterEach(unmountAll);
afterAll(() => rmSync(root, { recursive: true }));

let images = 0;

interface FileSystem {
  readonly name: string;
  /** Mounts a new, small one; answers where. @throws when this host cannot */
  mount(): string;
}

const fileSystems: readonly FileSystem[] = [
  {
    name: 'tmpfs',
    mount: () => mountAt('-t', 'tmpfs', '-o', 'size=8m,nr_inodes=64', 'tmpfs'),
  },
  {
    // Finds out about a full disk as late as it can: when what was written becomes durable.
    name: 'ext4',
    mount() {
      // A file of its own: the loop device of the one before may let go of its file late.
      const image = join(root, `ext4-${++images}.img`);
      writeFileSync(image, '');
      truncateSync(image, 16_777_216);
      run('mkfs.ext4', '-q', '-F', '-m', '0', '-N', '64', image);
      return mountAt('-o', 'loop', image);
    },
  },
];

function mountAt(...options: readonly string[]): string {
  const path = mkdtempSync(join(root, 'mount-'));
  run('mount', ...options, path);
  mounted.push(path);
  return path;
}

function unmountAll(): void {
  for (const path of mounted.splice(0)) run('umount', path);
}

function run(command: string, ...options: readonly string[]): void {
  execFileSync(command, options, { stdio: 'pipe' });
}

/** Why a file system cannot be had here; `undefined` when it can. */
function lackOf({ mount }: FileSystem): string | undefined {
  try {
    mount();
    unmountAll();
    return undefined;
  } catch (error) {
    return String(error).split('\n')[0];
  }
}

/** Takes all room but `leftBytes`; answers the file that took it. */
function fill(folder: string, leftBytes: number): string {
  const path = join(folder, 'filling');
  const fd = openSync(path, 'wx');
  let sizeBytes = 0;
  const write = (bytes: number) => {
    try {
      for (;;) {
        sizeBytes += writeSync(fd, Buffer.alloc(bytes, 1));
        // Only what is on the disk takes room there for sure.
        if (bytes < 65_536) fsyncSync(fd);
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  };
  try {
    for (const bytes of [262_144, 4_096]) write(bytes);
    ftruncateSync(fd, Math.max(0, sizeBytes - leftBytes));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return path;
}

function commit(store: SandboxStore, n: number): Promise<void> {
  const objects = [sampleObject(n, 400_000)];
  return store.commit({ objects, refs: [{ name: 'head', value: String(n) }] });
}

for (const fileSystem of fileSystems) {
  const lack = lackOf(fileSystem);
  describe.skipIf(lack)(`a full ${fileSystem.name}${lack ? ` (not here: ${lack})` : ''}`, () => {
    test('B-10 refuses the commit, keeps what was saved, and takes more once there is room', async () => {
      const folder = fileSystem.mount();
      {
        await using store = await openHostStore(folder, 'one', { create: true });
        await commit(store, 1);
        const filling = fill(folder, 100_000);
        const { sizeBytes } = store;
        for (let attempt = 0; attempt < 3; attempt++) {
          await expect(commit(store, 2)).rejects.toMatchObject({ code: 'storage-full', retryable: true });
        }
        expect(store.sizeBytes).toBe(sizeBytes);
        expect(store.ref('head')).toBe('1');
        expect(store.readSync(sampleObject(1, 400_000).id)).toEqual(sampleObject(1, 400_000).bytes);
        rmSync(filling);
        await commit(store, 3);
      }
      await using store = await openHostStore(folder, 'one');
      expect(store.ref('head')).toBe('3');
      for (const n of [1, 3]) {
        const { id, bytes } = sampleObject(n, 400_000);
        expect(store.readSync(id)).toEqual(bytes);
      }
      expect(await store.has([sampleObject(2, 400_000).id])).toEqual(new Set());
    });

    test('B-10 a sandbox can be opened and deleted all the same', async () => {
      const folder = fileSystem.mount();
      {
        await using store = await openHostStore(folder, 'one', { create: true });
        await commit(store, 1);
      }
      fill(folder, 0);
      {
        await using store = await openHostStore(folder, 'one');
        expect(store.readSync(sampleObject(1, 400_000).id)).toEqual(sampleObject(1, 400_000).bytes);
      }
      await deleteHostStore(folder, 'one');
      expect(existsSync(join(folder, 'one'))).toBe(false);
      await using store = await openHostStore(folder, 'two', { create: true });
      await commit(store, 2);
    });

    test('R-10 refuses to collect garbage without room for the copy, and goes on', async () => {
      const folder = fileSystem.mount();
      await using store = await openHostStore(folder, 'one', { create: true });
      for (const n of [1, 2, 3]) await commit(store, n);
      const filling = fill(folder, 100_000);
      const live = new Set([2, 3].map((n) => sampleObject(n, 400_000).id));
      await expect(store.sweep(live)).rejects.toMatchObject({ code: 'storage-full' });
      expect(await store.has([sampleObject(1, 400_000).id])).toEqual(new Set([sampleObject(1, 400_000).id]));
      rmSync(filling);
      expect(await store.sweep(live)).toBeGreaterThan(399_000);
      expect(readdirSync(join(folder, 'one'))).toEqual(['lock', expect.stringMatching(/^log-\d+$/)]);
    });

    test('H-8 a store that cannot be made leaves nothing behind, however few files are left', async () => {
      const folder = fileSystem.mount();
      const sandboxes = join(folder, 'sandboxes');
      mkdirSync(sandboxes);
      const files: string[] = [];
      const name = () => join(folder, `file-${files.length}`);
      while (statfsSync(folder).ffree > 0) {
        writeFileSync(name(), '');
        files.push(name());
      }
      for (let free = 0; free < 3; free++) {
        const made = openHostStore(sandboxes, 'one', { create: true });
        await expect(made).rejects.toMatchObject({ code: 'storage-full', details: { name: 'ENOSPC' } });
        expect(readdirSync(sandboxes)).toEqual([]);
        rmSync(files.pop() ?? '');
      }
      await using store = await openHostStore(sandboxes, 'one', { create: true });
      await commit(store, 1);
    });

    test('B-10 what a host holds back lets it open its registry on a full disk and delete, and is held back again', async () => {
      const folder = fileSystem.mount();
      {
        await using reserve = DiskReserve.open(folder);
        await reserve.restore();
        expect(reserve.isHeld).toBe(true);
        using registry = openRegistry(folder);
        await registry.sandboxes.begin('one');
        await using store = await openHostStore(folder, 'one', { create: true });
        for (const n of [1, 2, 3]) await commit(store, n);
      }
      rmSync(join(folder, 'coppice.sqlite-wal'), { force: true });
      fill(folder, 0);
      await using reserve = DiskReserve.open(folder);
      expect(reserve.isHeld).toBe(false);
      using registry = openRegistry(folder);
      await deleteHostStore(folder, 'one');
      await registry.sandboxes.forgetUnfinished('one');
      expect(await registry.sandboxes.unfinished(Date.now() + 1)).toEqual([]);
      await reserve.restore();
      expect(reserve.isHeld).toBe(true);
    });

    test('B-10 on a disk that is nearly full half of what is free is held back, and more once there is more', async () => {
      const folder = fileSystem.mount();
      const heldBytes = () => statSync(join(folder, 'reserve')).size;
      {
        using registry = openRegistry(folder);
        await registry.sandboxes.begin('one');
      }
      fill(folder, 700_000);
      {
        await using reserve = DiskReserve.open(folder);
        await reserve.restore();
      }
      const atFirst = heldBytes();
      expect(atFirst).toBeGreaterThan(262_144);
      renameSync(join(folder, 'filling'), join(folder, 'filled'));
      fill(folder, 0);
      await using reserve = DiskReserve.open(folder);
      expect(reserve.isHeld).toBe(false);
      using registry = openRegistry(folder);
      await registry.sandboxes.forgetUnfinished('one');
      rmSync(join(folder, 'filling'));
      await reserve.restore();
      expect(reserve.isHeld).toBe(true);
      rmSync(join(folder, 'filled'));
      await reserve.restore();
      expect(heldBytes()).toBeGreaterThan(atFirst);
    });

    test('B-10 what frees room is done with what is held back where the disk fills up meanwhile', async () => {
      const folder = fileSystem.mount();
      await using reserve = DiskReserve.open(folder);
      await reserve.restore();
      await using store = await openHostStore(folder, 'one', { create: true });
      const [kept] = [sampleObject(2, 100_000).id];
      await store.commit({ objects: [1, 2].map((n) => sampleObject(n, 100_000)), refs: [] });
      fill(folder, 0);
      expect(await reserve.freeing(() => store.sweep(new Set([kept])))).toBeGreaterThan(99_000);
      expect(reserve.isHeld).toBe(false);
    });

    test('B-10 on a full disk where nothing could be held back a host gives its caches up to open', async () => {
      const folder = fileSystem.mount();
      const cache = join(folder, 'cache');
      {
        using registry = openRegistry(folder);
        await registry.sandboxes.begin('one');
      }
      mkdirSync(cache);
      writeFileSync(join(cache, 'compiled'), Buffer.alloc(1_000_000, 1));
      fill(folder, 0);
      await using _reserve = DiskReserve.open(folder, { caches: [cache] });
      expect(existsSync(cache)).toBe(false);
      using registry = openRegistry(folder);
      await registry.sandboxes.forgetUnfinished('one');
      expect(await registry.sandboxes.unfinished(Date.now() + 1)).toEqual([]);
    });

    test('R-4 a registry on a full disk without any room held back can be read', async () => {
      const folder = fileSystem.mount();
      {
        using registry = openRegistry(folder);
        registry.tokens.create({ name: 'before', scope: 'all' });
      }
      fill(folder, 0);
      expect(() => openRegistry(folder)).toThrow(expect.objectContaining({ code: 'storage-full' }));
      using registry = openRegistry(folder, { isToRead: true });
      expect(registry.tokens.list()).toMatchObject([{ name: 'before' }]);
    });

    test('B-10 the registry refuses an entry, keeps the others, and takes it once there is room', async () => {
      const folder = fileSystem.mount();
      using registry = openRegistry(folder);
      const { tokens } = registry;
      const { token } = tokens.create({ name: 'before', scope: 'all' });
      const filling = fill(folder, 0);
      const createMany = () => {
        for (let n = 0; n < 1_000; n++) tokens.create({ name: 'n'.repeat(128), scope: 'all' });
      };
      expect(createMany).toThrow(expect.objectContaining({ code: 'storage-full' }));
      expect(tokens.check(token)?.name).toBe('before');
      const count = tokens.list().length;
      rmSync(filling);
      tokens.create({ name: 'after', scope: 'all' });
      expect(tokens.list()).toHaveLength(count + 1);
    });
  });
}
