import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RootMount } from '../../bridge-server/contract.ts';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { rootKinds } from '../../bridge-server/roots/open-root-maker.ts';
import { probeOverlay } from '../../bridge-server/roots/overlay/probe-overlay.ts';
import { abilitiesOf } from '../../bridge-server/roots/supported-metadata.ts';
import { limits } from '../../protocol/limits.ts';
import { objectKinds } from '../../tree/content/kinds.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { errno } from '../../tree/live/errno.ts';
import { openBtrfsVolume, whatBtrfsLacks } from '../fixtures/btrfs-volume.ts';
import { inLongRun, runsLong } from '../runs-long.ts';
import { type DiskCommand, diskCommands } from './roots/disk-commands.ts';
import { type LabRoot, RootLab } from './roots/root-lab.ts';
import { rootPrograms, runningOf } from './roots/root-programs.ts';
import { rootRuns, rootRunsTimeoutMs } from './roots/root-runs.ts';
import { describeFiles, startTree } from './roots/start-tree.ts';

const isRoot = process.getuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), 'coppice-probe-'));
const overlayFailure = await probeOverlay(folder, abilitiesOf(ownPrivileges()));
rmSync(folder, { recursive: true });
const programs = await rootPrograms;
const { scanner } = programs;
const hasPython = succeeds(() => execFileSync('python3', ['--version'], { stdio: 'ignore' }));

const btrfsFailure = await whatBtrfsLacks();

describe.each(rootKinds)('roots by %s', (kind) => {
  const lacks = !isRoot
    ? 'needs root'
    : !hasPython
      ? 'needs python3'
      : kind !== 'copy' && overlayFailure !== undefined
        ? `needs overlay mounts: ${overlayFailure}`
        : kind === 'btrfs'
          ? btrfsFailure
          : undefined;
  const title = lacks === undefined ? 'with real files' : `with real files (skipped: ${lacks})`;

  /** Of what is done with roots of any kind in the same way. */
  const commonTest = kind === 'overlay' ? test : inLongRun(test);

  describe.skipIf(lacks !== undefined)(title, () => {
    const stack = new AsyncDisposableStack();
    let lab: RootLab;
    beforeAll(async () => {
      const place = kind === 'btrfs' ? stack.use(await openBtrfsVolume()).folder : undefined;
      lab = stack.use(await RootLab.open(kind, { ...programs, place }));
    });
    afterAll(() => stack.disposeAsync());

    test('H-2: what a disk cannot hold stays in the tree, also where its file changes', async () => {
      const tree = startTree();
      const time = { mtime: { seconds: 2 ** 40, nanoseconds: 7 } };
      const a = tree.lookup(tree.root, 'a');
      const add = (name: string, mode: number, more: object = {}) =>
        tree.create(a, name, { mode, uid: 0, gid: 0, ...more });
      add('socket', 0o140777);
      add('whiteout', 0o020600);
      const odd = add('odd', 0o100644);
      tree.setXattr(odd, 'user.large', new Uint8Array(60_000));
      tree.setXattr(odd, 'trusted.overlay.redirect', new Uint8Array([47, 101]));
      tree.setXattr(odd, 'security.capability', new Uint8Array(20).fill(1));
      tree.setAttributes(odd, time);
      tree.setAttributes(a, { mtime: { seconds: 1, nanoseconds: 0 } });
      const id = lab.seal(tree);
      await using made = await lab.make(id, lab.seal(startTree()));
      expect(await made.root.collect(made.tree)).toBe(0);
      expect(made.seal()).toBe(id);
      chmodSync(join(made.path, 'a', 'odd'), 0o600);
      expect(await made.root.collect(made.tree)).toBe(1);
      tree.setAttributes(odd, { permissions: 0o600 });
      expect(made.seal()).toBe(lab.seal(tree));
    });

    commonTest('H-2: attributes whose names a tar has to escape are kept', async () => {
      const tree = startTree();
      const file = tree.create(tree.root, 'x', { mode: 0o100644, uid: 0, gid: 0 });
      tree.setXattr(file, 'user.a=b%25', new Uint8Array([1]));
      const id = lab.seal(tree);
      await using made = await lab.make(id, id);
      made.operate([{ type: 'setxattr', path: { pick: 0, name: 'x' }, name: 'user.c=%3D', value: 'v' }]);
      expect(await made.root.collect(made.tree)).toBe(1);
      tree.setXattr(file, 'user.c=%3D', new Uint8Array([118]));
      expect(made.seal()).toBe(lab.seal(tree));
    });

    commonTest('B2-38: a file of a terabyte with nothing in it costs nothing, either way', async () => {
      const tree = startTree();
      const file = tree.create(tree.root, 'x', { mode: 0o100644, uid: 0, gid: 0 });
      tree.write(file, 2 ** 39, new Uint8Array([1, 2, 3]));
      tree.truncate(file, 2 ** 40);
      const id = lab.seal(tree);
      await using made = await lab.make(id, lab.seal(startTree()));
      const path = join(made.path, 'x');
      expect(lstatSync(path)).toMatchObject({
        size: 2 ** 40,
        blocks: expect.toSatisfy((blocks) => blocks < 1_000),
      });
      truncateSync(path, 2 ** 41);
      expect(await made.root.collect(made.tree)).toBe(1);
      const found = made.tree.lookup(made.tree.root, 'x');
      const bytes = new Uint8Array(5);
      expect([made.tree.stat(found)?.sizeBytes, made.tree.read(found, 2 ** 39 - 1, bytes)]).toEqual([
        2 ** 41,
        5,
      ]);
      expect([...bytes]).toEqual([0, 1, 2, 3, 0]);
    });

    commonTest(
      'B2-37, B2-39: a path that Linux does not open is refused on its way from the disk',
      async () => {
        const base = lab.seal(startTree());
        await using made = await lab.make(base, base);
        const script = 'cd "$0"; for i in $(seq 20); do mkdir $1; cd -P $1; done';
        execFileSync('bash', ['-c', script, made.path, 'q'.repeat(255)], { stdio: 'ignore' });
        await expect(made.root.collect(made.tree)).rejects.toMatchObject({ code: 'limit-exceeded' });
        execFileSync('rm', ['-r', join(made.path, 'q'.repeat(255))]);
        expect(await made.root.collect(made.tree)).toBe(1);
      },
    );

    commonTest(
      'B2-39: an object that is not what its id says is not unpacked, and leaves nothing behind',
      async () => {
        const tree = startTree();
        const read = (object: ObjectId) => {
          const bytes = lab.read(object).slice();
          if (bytes[0] === objectKinds.chunk) bytes[1] = 1 + (bytes[1] ?? 0);
          return bytes;
        };
        tree.create(tree.root, 'other', { mode: 0o100644, uid: 0, gid: 0 });
        const other = lab.seal(tree);
        await expect(lab.maker.make(other, { base: other, read })).rejects.toMatchObject({
          code: 'corrupt-object',
        });
        expect(lab.leftovers()).toEqual([]);
      },
    );

    commonTest('H-2: a directory has no attributes of the image that the tree has not', async () => {
      const tree = startTree();
      const base = lab.seal(tree);
      tree.removeXattr(tree.lookup(tree.lookup(tree.root, 'a'), 'b'), 'user.y');
      const id = lab.seal(tree);
      await using made = await lab.make(id, base);
      expect(lab.seal(made.readAll())).toBe(id);
    });

    test('H-8: who gives up on a root leaves nothing behind, and the next one gets it', async () => {
      const tree = startTree();
      tree.create(tree.root, 'aborted', { mode: 0o100644, uid: 0, gid: 0 });
      const id = lab.seal(tree);
      const abort = new AbortController();
      const making = lab.maker.make(id, { base: id, read: lab.read, signal: abort.signal });
      abort.abort();
      await expect(making).rejects.toMatchObject({ code: 'aborted' });
      await using made = await lab.make(id, id);
      expect(await made.root.collect(made.tree)).toBe(0);
    });

    test('O-7, H-3: a root near others has its own files, whatever came between', {
      timeout: rootRunsTimeoutMs,
    }, async () => {
      // A copy is made of the image, whatever is near.
      const rounds = kind === 'overlay' ? limits.rootLayers + 4 : 2;
      const changes = fc.array(diskCommands(6), { minLength: rounds, maxLength: rounds });
      await fc.assert(
        fc.asyncProperty(changes, async (all) => {
          const base = lab.seal(startTree());
          const trees = [base];
          for (const commands of all) {
            const [tree = base] = trees;
            await using made = await lab.make(tree, base, trees);
            expect(heightOf(made.root.mount)).toBeLessThanOrEqual(limits.rootLayers);
            expect(await made.root.collect(made.tree)).toBe(0);
            expectCollected(made, []);
            made.operate(commands);
            await made.root.collect(made.tree);
            expectCollected(made, commands);
            trees.unshift(made.seal());
          }
        }),
        { numRuns: runsLong ? 20 : 1, endOnFailure: true },
      );
    });

    test('H-3: a tree without room refuses a change, and has it once there is room', async () => {
      const base = lab.seal(startTree());
      await using made = await lab.make(base, base);
      writeFileSync(join(made.path, 'large'), Buffer.alloc(200_000, 'x'));
      made.tree.setFull(true);
      await expect(made.root.collect(made.tree)).rejects.toMatchObject({ code: 'storage-full' });
      made.tree.setFull(false);
      expect(await made.root.collect(made.tree)).toBe(2);
      expect(made.seal()).toBe(lab.seal(made.readAll()));
    });

    commonTest(
      'H-2 H-4: what was collected by half, for want of room, and is gone the next time is in no tree',
      async () => {
        const base = lab.seal(startTree());
        await using made = await lab.make(base, base);
        const { root, path, tree } = made;
        mkdirSync(join(path, 'z'));
        await root.collect(tree);
        writeFileSync(join(path, 'z/gone'), Buffer.alloc(200_000, 'x'));
        mkdirSync(join(path, 'z/gone-too'));
        const write = vi.spyOn(tree, 'write').mockReturnValue(-errno.ENOSPC);
        await expect(root.collect(tree)).rejects.toMatchObject({ code: 'storage-full' });
        write.mockRestore();
        const z = tree.lookup(tree.root, 'z');
        expect(tree.lookup(z, 'gone')).not.toBe(0);

        rmSync(join(path, 'z/gone'));
        rmSync(join(path, 'z/gone-too'), { recursive: true });
        writeFileSync(join(path, 'a/later'), 'later');
        await root.collect(tree);
        expect(made.seal()).toBe(lab.seal(made.readAll()));
        expect(await root.collect(tree)).toBe(0);
      },
    );

    test('H-4: what is gone from a root that another process has left makes room for what came', async () => {
      const base = lab.seal(startTree());
      const made = await lab.make(base, base);
      const folders = ['a', 'z'];
      mkdirSync(join(made.path, 'z'));
      for (const folder of folders) writeFileSync(join(made.path, folder, 'gone'), 'gone');
      await made.root.collect(made.tree);
      const before = made.seal();
      for (const folder of folders) {
        rmSync(join(made.path, folder, 'gone'));
        writeFileSync(join(made.path, folder, 'later'), 'later');
      }
      await using found = await lab.takeOver(made, before);
      const { root, tree } = found;
      const hasGone = (folder: string) => tree.lookup(tree.lookup(tree.root, folder), 'gone') !== 0;
      const create = tree.create.bind(tree);
      vi.spyOn(tree, 'create').mockImplementation((...args) =>
        folders.some(hasGone) ? -errno.ENOSPC : create(...args),
      );
      await root.collect(tree);
      expect(found.seal()).toBe(lab.seal(found.readAll()));
    });

    commonTest(
      'H-2: a file that was moved into a new directory and removed there is gone from the tree too',
      async () => {
        const base = lab.seal(startTree());
        await using made = await lab.make(base, base);
        mkdirSync(join(made.path, 'new'));
        renameSync(join(made.path, 'a/-e'), join(made.path, 'new/-e'));
        await made.root.collect(made.tree);
        rmSync(join(made.path, 'new/-e'));
        await made.root.collect(made.tree);
        expect(made.seal()).toBe(lab.seal(made.readAll()));
      },
    );

    commonTest(
      'H-4 X-5: a file of a directory that was made anew is as it is, whatever the image has of its name',
      async () => {
        const base = lab.seal(startTree());
        await using made = await lab.make(base, base);
        const file = join(made.path, 'a/-e');
        const { mode, mtime } = lstatSync(file);
        chmodSync(file, 0o600);
        utimesSync(file, 0, 1);
        await made.root.collect(made.tree);
        rmSync(join(made.path, 'a'), { recursive: true });
        mkdirSync(join(made.path, 'a'));
        writeFileSync(file, 'another');
        chmodSync(file, mode);
        utimesSync(file, 0, mtime);
        await made.root.collect(made.tree);
        expect(describeFiles(made.tree)).toEqual(describeFiles(made.readAll()));
      },
    );

    commonTest(
      'H-2: an attribute that a file gets again is found, by whichever of its names it was read before',
      async () => {
        const base = lab.seal(startTree());
        await using made = await lab.make(base, base);
        // Which of two names is found first is the file system's to say, so there are many.
        const files = Array.from({ length: 12 }, (_, n) => n);
        const nameOf = (name: string) => (n: number) => join(made.path, `${name}-${n}`);
        const [first, second, third, stays] = ['first', 'second', 'third', 'stays'].map(nameOf) as [
          NameOf,
          NameOf,
          NameOf,
          NameOf,
        ];
        const all = (attribute: string) =>
          execFileSync('python3', [
            '-c',
            `import os, sys\nfor f in sys.argv[1:]: os.${attribute}`,
            ...files.map(stays),
          ]);
        for (const n of files) {
          writeFileSync(first(n), 'some');
          linkSync(first(n), stays(n));
        }
        await made.root.collect(made.tree);
        for (const n of files) renameSync(first(n), second(n));
        all('setxattr(f, "user.y", b"v")');
        await made.root.collect(made.tree);
        all('removexattr(f, "user.y")');
        await made.root.collect(made.tree);
        for (const n of files) renameSync(second(n), third(n));
        all('setxattr(f, "user.y", b"v")');
        await made.root.collect(made.tree);
        expect(describeFiles(made.tree)).toEqual(describeFiles(made.readAll()));
      },
    );

    commonTest('H-8: a root has one process at most, and none when it was let go of', async () => {
      const base = lab.seal(startTree());
      const processes = () =>
        process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
      const before = processes();
      {
        await using made = await lab.make(base, base);
        for (let n = 0; n < 3; n++) await made.root.collect(made.tree);
        expect(processes()).toBe(before + 1);
      }
      expect(processes()).toBe(before);
    });

    commonTest('H-3: changes are found all the same when what looks for them was killed', async () => {
      const base = lab.seal(startTree());
      await using made = await lab.make(base, base);
      await made.root.collect(made.tree);
      writeFileSync(join(made.path, 'first'), 'some');
      for (const pid of runningOf(scanner)) {
        process.kill(pid, 'SIGKILL');
        while (existsSync(`/proc/${pid}`)) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await made.root.collect(made.tree)).toBe(2);
      expect(await made.root.collect(made.tree)).toBe(0);
      expect(made.seal()).toBe(lab.seal(made.readAll()));
    });

    commonTest('H-3: processes may run again before what is too large to be held is read', async () => {
      const base = lab.seal(startTree());
      await using made = await lab.make(base, base);
      let reads = 0;
      const onRead = async () => {
        reads += 1;
      };
      writeFileSync(join(made.path, 'small'), 'some');
      expect(await made.root.collect(made.tree, { onRead, leave: 'changing' })).toBe(2);
      expect(reads).toBe(1);
      writeFileSync(join(made.path, 'large'), Buffer.alloc(limits.scanAheadBytes + 1, 'x'));
      expect(await made.root.collect(made.tree, { onRead, leave: 'changing' })).toBe(2);
      expect(reads).toBe(2);
      expect(made.root.left).toEqual([]);
      expect(made.seal()).toBe(lab.seal(made.readAll()));
    });

    commonTest('H-3: what is done once all was read belongs to the next time', async () => {
      const base = lab.seal(startTree());
      await using made = await lab.make(base, base);
      const path = join(made.path, 'file');
      writeFileSync(path, 'some');
      const onRead = async () => writeFileSync(path, 'more');
      await made.root.collect(made.tree, { onRead });
      const bytes = new Uint8Array(4);
      const text = () => {
        made.tree.read(made.tree.lookup(made.tree.root, 'file'), 0, bytes);
        return Buffer.from(bytes).toString();
      };
      expect(text()).toBe('some');
      expect(await made.root.collect(made.tree)).toBe(1);
      expect(text()).toBe('more');
    });

    test('H-2: whatever is done to a root, what is collected is what is there, and a root made of it has it', {
      timeout: rootRunsTimeoutMs,
    }, async () => {
      const base = lab.seal(startTree());
      await fc.assert(
        fc.asyncProperty(
          diskCommands(12),
          diskCommands(12),
          diskCommands(8),
          async (first, second, third) => {
            const middle = await changeRoot(base, [first, second]);
            await changeRoot(middle, [third]);
          },
        ),
        // A run mounts, unpacks and reads whole roots: shrinking would take minutes.
        { numRuns: rootRuns(kind), endOnFailure: true },
      );

      /** Makes a root, changes it in several rounds, and answers the tree that came of it. */
      async function changeRoot(from: ObjectId, rounds: readonly DiskCommand[][]): Promise<ObjectId> {
        await using made = await lab.make(from, base);
        expect(await made.root.collect(made.tree)).toBe(0);
        expectCollected(made, []);
        expect(made.seal()).toBe(from);
        for (const commands of rounds) {
          made.operate(commands);
          await made.root.collect(made.tree);
          expectCollected(made, commands);
          expect(await made.root.collect(made.tree)).toBe(0);
        }
        return made.seal();
      }
    });

    test('H-2 H-4: a root that another process has left is found to have what is there, whatever was done to it', {
      timeout: rootRunsTimeoutMs,
    }, async () => {
      const base = lab.seal(startTree());
      const commands = fc.tuple(diskCommands(10), diskCommands(10), diskCommands(6));
      await fc.assert(
        fc.asyncProperty(commands, async ([first, told, untold]) => {
          const from = await treeAfter(base, first);
          const made = await lab.make(from, base);
          made.operate(told);
          await made.root.collect(made.tree);
          const tree = made.seal();
          made.operate(untold);
          await using found = await lab.takeOver(made, tree);
          await found.root.collect(found.tree);
          expectCollected(found, untold);
          expect(await found.root.collect(found.tree)).toBe(0);
        }),
        { numRuns: rootRuns(kind), endOnFailure: true },
      );

      async function treeAfter(tree: ObjectId, commands: readonly DiskCommand[]): Promise<ObjectId> {
        await using made = await lab.make(tree, base);
        made.operate(commands);
        await made.root.collect(made.tree);
        return made.seal();
      }
    });

    test('H-2: a root that was left without a change changes nothing, of what a disk cannot hold neither', async () => {
      const tree = startTree();
      tree.create(tree.lookup(tree.root, 'a'), 'socket', { mode: 0o140777, uid: 0, gid: 0 });
      const id = lab.seal(tree);
      const made = await lab.make(id, lab.seal(startTree()));
      chmodSync(join(made.path, 'a'), 0o700);
      chmodSync(join(made.path, 'a'), 0o1777);
      await using found = await lab.takeOver(made, id);
      await found.root.collect(found.tree);
      expect(found.seal()).toBe(id);
    });

    commonTest(
      'H-2: names that a renamed directory takes along stay those of files that have others elsewhere',
      async () => {
        const base = lab.seal(startTree());
        await using made = await lab.make(base, base);
        const at = (...names: string[]) => join(made.path, ...names);
        mkdirSync(at('fresh', 'deep'), { recursive: true });
        writeFileSync(at('fresh', 'deep', 'one'), 'some');
        for (const name of ['outside', 'fresh/two']) linkSync(at('fresh', 'deep', 'one'), at(name));
        await collectSettled(made);
        renameSync(at('fresh'), at('moved'));
        await made.root.collect(made.tree);
        expectCollected(made, []);
        linkSync(at('outside'), at('moved', 'three'));
        await collectSettled(made);
        renameSync(at('moved', 'deep'), at('deep'));
        await made.root.collect(made.tree);
        expectCollected(made, []);
      },
    );

    commonTest('H-2: what changed back while nobody looked is found as well', async () => {
      const base = lab.seal(startTree());
      const made = await lab.make(base, base);
      const at = (name: string) => join(made.path, 'a', name);
      chmodSync(at('-e'), 0o600);
      writeFileSync(at('only here'), 'some');
      rmSync(at('b'), { recursive: true });
      await made.root.collect(made.tree);
      const tree = made.seal();
      expect(tree).not.toBe(base);
      chmodSync(at('-e'), 0o644);
      rmSync(at('only here'));
      await using found = await lab.takeOver(made, tree);
      await found.root.collect(found.tree);
      expectCollected(found, []);
    });

    /** What has changed just now is told once more, whatever becomes of it: until then nothing is settled. */
    async function collectSettled({ root, tree }: LabRoot): Promise<void> {
      const changedMs = Date.now();
      await expect.poll(() => Date.now() - changedMs, { interval: 10 }).toBeGreaterThan(50);
      await root.collect(tree);
    }

    function expectCollected(made: LabRoot, commands: readonly DiskCommand[]): void {
      const there = made.readAll();
      expect({ commands, files: describeFiles(made.tree) }).toEqual({
        commands,
        files: describeFiles(there),
      });
      expect(made.seal()).toBe(lab.seal(there));
    }
  });
});

const userProgram = join(import.meta.dirname, 'roots', 'collect-as-user.ts');
const asUser = { uid: 65534, gid: 65534 };
const canBeUser =
  isRoot &&
  succeeds(() => {
    execFileSync('cat', [process.execPath, userProgram], { ...asUser, maxBuffer: 2 ** 30 });
    // Their jails need that as well.
    execFileSync('unshare', ['--user', '--map-root-user', 'true'], asUser);
  });

describe.skipIf(!canBeUser)('roots of an ordinary user (skipped where the test cannot become one)', () => {
  test('H-2: what the user cannot have stays in the tree, and what they keep from themselves is read', () => {
    const reachable = mkdtempSync(join(tmpdir(), 'coppice-scanner-'));
    try {
      chmodSync(reachable, 0o755);
      const theirs = Object.entries(programs).map(([name, program]) => {
        const copy = join(reachable, name);
        copyFileSync(program, copy);
        return copy;
      });
      const printed = execFileSync(process.execPath, [userProgram, ...theirs], {
        ...asUser,
        encoding: 'utf8',
        env: { PATH: process.env.PATH },
      });
      expect(JSON.parse(printed)).toEqual({
        counts: [0, 1, 7],
        isSame: true,
        keepsOwner: true,
        owner: 0,
        read: ['some', 'some'],
        gaps: 3,
      });
    } finally {
      rmSync(reachable, { recursive: true });
    }
  });
});

function heightOf(mount: RootMount): number {
  return mount.type === 'overlay' ? mount.lower.length : 0;
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

type NameOf = (n: number) => string;
