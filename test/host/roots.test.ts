import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeOverlay } from '../../bridge-server/snapshots/probe-overlay.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { resolveBytes } from '../../tree/live/resolve-path.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import { describeTree } from '../tree/describe-tree.ts';
import { type DiskCommand, diskCommands } from './roots/disk-commands.ts';
import { type LabRoot, RootLab } from './roots/root-lab.ts';

const isRoot = process.getuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), 'coppice-probe-'));
const overlayFailure = await probeOverlay(folder, { isRoot });
rmSync(folder, { recursive: true });
const hasPython = succeeds(() => execFileSync('python3', ['--version'], { stdio: 'ignore' }));

describe.each(['overlay', 'copy'] as const)('roots by %s', (kind) => {
  const lacks = !isRoot
    ? 'needs root'
    : !hasPython
      ? 'needs python3'
      : kind === 'overlay' && overlayFailure !== undefined
        ? `needs overlay mounts: ${overlayFailure}`
        : undefined;
  const title = lacks === undefined ? 'with real files' : `with real files (skipped: ${lacks})`;

  describe.skipIf(lacks !== undefined)(title, () => {
    let lab: RootLab;
    beforeAll(async () => {
      lab = await RootLab.open(kind);
    });
    afterAll(() => lab?.[Symbol.asyncDispose]());

    test('H-2: whatever is done to a root, what is collected is what is there, and a root made of it has it', async () => {
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
        { numRuns: 10, endOnFailure: true },
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
});

/** All that ids depend on. */
function describeFiles(tree: LiveTree): unknown[] {
  return describeTree(tree).map((file) => {
    const found = resolveBytes(tree, file.path, { followLast: false });
    const inode = typeof found === 'number' ? undefined : tree.stat(found.ino);
    return { ...file, nanoseconds: inode?.mtimeNanoseconds };
  });
}

/** Something of everything, with hard links within and across directories. */
function startTree(): LiveTree {
  const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 123_456_789 }) });
  const add = (directory: number, name: string, mode: number, more: object = {}) =>
    tree.create(directory, name, { mode, uid: 0, gid: 0, ...more });
  const a = add(tree.root, 'a', 0o041777);
  const b = add(a, 'b', 0o040750, { uid: 33 });
  const file = add(a, 'a', 0o100644);
  tree.write(file, 0, new Uint8Array(70_001).fill(7));
  tree.link(file, a, 'c');
  tree.link(file, b, 'd');
  const small = add(b, 'a', 0o104755, { uid: 3_000_000, gid: 70_000 });
  tree.write(small, 0, new Uint8Array(10).fill(1));
  tree.setXattr(small, 'user.x', new Uint8Array([0, 10, 61, 255]));
  tree.setXattr(small, 'user.z', new Uint8Array([1]));
  tree.setXattr(b, 'user.y', new Uint8Array(0));
  tree.setXattr(small, 'security.capability', new Uint8Array([1, 0, 0, 2, ...new Array(16).fill(3)]));
  add(tree.root, '\xff\xfe', 0o100600);
  add(tree.root, 'd', 0o120777, { target: '../../etc' });
  add(b, 'f\n', 0o010640);
  add(b, 'c', 0o020666, { rdev: (1 << 8) | 3 });
  const sparse = add(a, '-e', 0o100644);
  tree.write(sparse, 200_000, new Uint8Array(100).fill(9));
  tree.truncate(sparse, 1_000_001);
  add(tree.root, 'n'.repeat(255), 0o100644);
  return tree;
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
