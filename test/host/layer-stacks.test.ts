import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Root, UnpackProgress } from '../../bridge-server/contract.ts';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { probeOverlay } from '../../bridge-server/roots/overlay/probe-overlay.ts';
import { abilitiesOf } from '../../bridge-server/roots/supported-metadata.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { RootLab } from './roots/root-lab.ts';
import { rootPrograms, runningOf } from './roots/root-programs.ts';

const programs = await rootPrograms;
const folder = mkdtempSync(join(tmpdir(), 'coppice-probe-'));
const failure = await probeOverlay(folder, abilitiesOf(ownPrivileges()));
rmSync(folder, { recursive: true });
const lack = failure === undefined ? undefined : `needs overlay mounts: ${failure}`;

describe.skipIf(lack !== undefined)(`layers of overlays${lack ? ` (skipped: ${lack})` : ''}`, () => {
  let lab: RootLab;
  beforeAll(async () => {
    lab = await RootLab.open('overlay', programs);
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  /** The tree that has files 0 to `count` - 1. */
  function treeOf(count: number): ObjectId {
    const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 0 }) });
    const folders = [0, 1].map((n) => tree.create(tree.root, `d${n}`, { mode: 0o040755, uid: 0, gid: 0 }));
    for (let n = 0; n < count; n++) {
      const file = tree.create(folders[n % 2] ?? 0, `f${n}`, { mode: 0o100644, uid: 0, gid: 0 });
      tree.write(file, 0, new TextEncoder().encode(`file ${n}`));
    }
    return lab.seal(tree);
  }

  const make = (tree: ObjectId, base: ObjectId, near: readonly ObjectId[] = []) =>
    lab.maker.make(tree, { base, near, read: lab.read });

  function lowerOf({ mount }: Root): readonly string[] {
    if (mount.type === 'overlay') return mount.lower;
    throw new Error('It is no overlay');
  }

  /** Files of each layer but the image's, the uppermost first. */
  const filesIn = (root: Root) =>
    lowerOf(root)
      .slice(0, -1)
      .map((layer) =>
        readdirSync(layer, { recursive: true, withFileTypes: true })
          .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
          .sort(),
      );

  test('O-7 H-3 what a tree near another one changes is all that is unpacked', async () => {
    const [base, first, second, third] = [0, 10, 11, 12].map(treeOf);
    if (!base || !first || !second || !third) throw new Error('There are no trees');
    await using one = await make(first, base, [base]);
    await using two = await make(second, base, [first, base]);
    // Nothing is there of the second but one root's layers.
    await using three = await make(third, base, [treeOf(9), second, first]);
    expect([one, two, three].map((root) => lowerOf(root).length)).toEqual([2, 3, 4]);
    expect(filesIn(three).slice(0, 2)).toEqual([['f11'], ['f10']]);
    expect(lowerOf(three).slice(1)).toEqual(lowerOf(two));
    await using again = await make(third, base);
    expect(lowerOf(again)).toEqual(lowerOf(three));
    await using other = await make(third, first, [second]);
    expect(lowerOf(other)).toHaveLength(2);
  });

  test('O-7 a high stack goes on from its foot', async () => {
    const base = treeOf(0);
    const trees: ObjectId[] = [];
    const heights: number[] = [];
    for (let n = 0; n < limits.rootLayers + 2; n++) {
      const tree = treeOf(20 + n);
      await using root = await make(tree, base, trees);
      heights.push(lowerOf(root).length);
      if (n === limits.rootLayers - 1) expect(filesIn(root)[0]).toHaveLength(limits.rootLayers - 1);
      trees.unshift(tree);
    }
    const rising = Array.from({ length: limits.rootLayers - 1 }, (_, n) => n + 2);
    expect(heights).toEqual([...rising, 3, 4, 5]);
  });

  test('O-7 a sandbox that lacks the objects of a near tree does without it', async () => {
    const [base, first, second] = [0, 50, 51].map(treeOf);
    if (!base || !first || !second) throw new Error('There are no trees');
    await using _one = await make(first, base);
    const read = (id: ObjectId) => {
      if (id !== first) return lab.read(id);
      throw new SandboxError('missing-object', 'It is not mine');
    };
    await using two = await lab.maker.make(second, { base, near: [first], read });
    expect(lowerOf(two)).toHaveLength(2);
    expect(filesIn(two)[0]).toHaveLength(51);
    expect(lab.leftovers()).toHaveLength(2);
  });

  test('B-5 all who wait for one layer are told how far it is, the last of them to its last files', async () => {
    const [base, tree] = [treeOf(0), treeOf(6_000)];
    // Each look at the clock is one that finds that a while has passed.
    let nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += limits.unpackToldEveryMs));
    onTestFinished(() => clock.mockRestore());
    const told: UnpackProgress[][] = [[], []];
    const [one, two] = await Promise.all(
      told.map((list) =>
        lab.maker.make(tree, { base, read: lab.read, onUnpack: (progress) => list.push(progress) }),
      ),
    );
    await using _one = one;
    await using _two = two;
    expect(told[0]?.length).toBeGreaterThan(1);
    expect(told[1]).toEqual(told[0]);
    const bytes = Array.from({ length: 6_000 }, (_, n) => `file ${n}`.length).reduce(
      (sum, next) => sum + next,
    );
    // With the three directories that they are in, and those of the image, which is unpacked for the first time.
    expect(told[0]?.at(-1)).toMatchObject({ files: expect.closeTo(6_003, -1), bytes });
    expect(told[0]?.map(({ files }) => files)).toEqual(
      told[0]?.map(({ files }) => files).toSorted((a, b) => a - b),
    );
  });

  test('H-4 a layer whose unpacker is killed is nowhere, and made whole the next time', async () => {
    const [base, tree] = [treeOf(0), treeOf(300)];
    let reads = 0;
    const read = (id: ObjectId) => {
      reads += 1;
      if (reads === 100) for (const pid of runningOf(programs.unpacker)) process.kill(pid, 'SIGKILL');
      return lab.read(id);
    };
    const made = lab.maker.make(tree, { base, near: [], read });
    await expect(made).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('SIGKILL'),
    });
    expect(lab.leftovers()).toEqual([]);
    await using root = await make(tree, base);
    expect(filesIn(root)[0]).toHaveLength(300);
  });

  test('H-8 layers that nobody uses go, the last few aside, and a tree on them is made again', async () => {
    const base = treeOf(0);
    const [low = base, high = base] = [treeOf(70), treeOf(71)];
    await (await make(low, base))[Symbol.asyncDispose]();
    await (await make(high, base, [low]))[Symbol.asyncDispose]();
    for (let n = 0; n < limits.idleLayers + 2; n++) {
      await (await make(treeOf(100 + n), base))[Symbol.asyncDispose]();
    }
    await using root = await make(high, base, [low]);
    expect(lowerOf(root)).toHaveLength(2);
    expect(filesIn(root)[0]).toHaveLength(71);
    expect(readdirSync(join(lab.folder, 'maker', 'overlay-trusted', 'layers')).length).toBeLessThanOrEqual(
      limits.idleLayers + 3,
    );
  });

  test('O-7 H-4 what an earlier process unpacked is there, with what lies below, until its sandbox forgets it', async () => {
    const [base, low, high, next] = [0, 60, 61, 62].map(treeOf);
    if (!base || !low || !high || !next) throw new Error('There are no trees');
    await using other = await RootLab.open('overlay', programs);
    for (const [id, bytes] of lab.objects) other.objects.set(id, bytes);
    const made = (tree: ObjectId, near: readonly ObjectId[], read = other.read) =>
      other.maker.make(tree, { sandbox: 'one', base, near, read });
    await (await made(low, [base]))[Symbol.asyncDispose]();
    await (await made(high, [low]))[Symbol.asyncDispose]();
    // The top of the tree alone, which an upper directory is made like.
    const readTop = (id: ObjectId) => (id === high ? other.read(id) : expect.fail('It was unpacked again'));
    for (const _time of [1, 2]) {
      await other.openAgain();
      await (await made(high, [low], readTop))[Symbol.asyncDispose]();
    }
    await using root = await made(next, [high, low]);
    expect(filesIn(root)).toEqual([['f61'], ['f60'], expect.any(Array)]);
    const folder = join(other.folder, 'maker', 'overlay-trusted');
    const layers = () => readdirSync(join(folder, 'layers')).filter((name) => name.includes('-'));
    await other.openAgain();
    // Another sandbox is deleted.
    await other.maker.retain('another', new Set());
    expect(layers()).toHaveLength(3);
    await other.openAgain();
    await other.maker.retain('one', new Set([low]));
    expect(layers()).toEqual([expect.stringContaining(`-${low}`)]);
    // Where it is not known whose they are, nothing of what is forgotten may stay.
    rmSync(join(folder, 'owners'));
    await other.openAgain();
    await other.maker.retain('another', new Set());
    expect(layers()).toEqual([]);
  });

  test('O-7 layers of a tree that no sandbox has any more go, at once or with the last root on them', async () => {
    const [base, low, high, own] = [0, 80, 81, 90].map(treeOf);
    if (!base || !low || !high || !own) throw new Error('There are no trees');
    const made = (sandbox: string, tree: ObjectId, near: readonly ObjectId[] = []) =>
      lab.maker.make(tree, { sandbox, base, near, read: lab.read });
    const layers = () => readdirSync(join(lab.folder, 'maker', 'overlay-trusted', 'layers'));
    const has = (tree: ObjectId) => layers().some((name) => name.includes(`-${tree}`));
    for (const tree of [low, own]) await (await made('parent', tree))[Symbol.asyncDispose]();
    {
      await using fork = await made('fork', high, [low]);
      expect(lowerOf(fork)).toHaveLength(3);
      await lab.maker.retain('parent', new Set([low]));
      expect([low, high, own].map(has)).toEqual([true, true, false]);
      await lab.maker.retain('parent', new Set());
      expect([low, high].map(has)).toEqual([true, true]);
      // No more roots are made on it.
      await using other = await made('fork', treeOf(82), [high, low]);
      expect(lowerOf(other)).toHaveLength(2);
    }
    await lab.maker.retain('fork', new Set([high]));
    expect([low, high].map(has)).toEqual([false, true]);
    await lab.maker.retain('fork', new Set());
    expect(has(high)).toBe(false);
  });

  test('O-7 B-5 the layers of a fork stay when it is deleted, for as long as its source has that tree', async () => {
    const [base, tree] = [0, 95].map(treeOf);
    if (!base || !tree) throw new Error('There are no trees');
    const made = (sandbox: string, read = lab.read) => lab.maker.make(tree, { sandbox, base, read });
    lab.maker.own('source', tree);
    await (await made('first fork'))[Symbol.asyncDispose]();
    await lab.maker.retain('first fork', new Set());
    // The top of the tree alone, which an upper directory is made like.
    const readTop = (id: ObjectId) => (id === tree ? lab.read(id) : expect.fail('It was unpacked again'));
    await (await made('second fork', readTop))[Symbol.asyncDispose]();
    await lab.maker.retain('second fork', new Set());
    await lab.maker.retain('source', new Set());
    const layers = readdirSync(join(lab.folder, 'maker', 'overlay-trusted', 'layers'));
    expect(layers.filter((name) => name.includes(`-${tree}`))).toEqual([]);
  });
});
