import {
  linkSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { type RootKind, rootKinds } from '../../bridge-server/roots/open-root-maker.ts';
import { probeOverlay } from '../../bridge-server/roots/overlay/probe-overlay.ts';
import { abilitiesOf } from '../../bridge-server/roots/supported-metadata.ts';
import { resolveBytes } from '../../tree/live/resolve-path.ts';
import { openBtrfsVolume, whatBtrfsLacks } from '../fixtures/btrfs-volume.ts';
import { stressFiles, writerCode } from '../soak/files/stress-files.ts';
import { openLineProcess, openMapping } from './roots/line-process.ts';
import { type LabRoot, RootLab } from './roots/root-lab.ts';
import { rootPrograms } from './roots/root-programs.ts';
import { startTree } from './roots/start-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-probe-'));
const overlayFailure = await probeOverlay(folder, abilitiesOf(ownPrivileges()));
rmSync(folder, { recursive: true });
const btrfsFailure = await whatBtrfsLacks();
const programs = await rootPrograms;
/** Of a file system in memory (statfs(2)). */
const tmpfsType = 0x01021994;

type Place = { readonly kind: RootKind; readonly inMemory: boolean };
const places: Place[] = [
  ...rootKinds.map((kind) => ({ kind, inMemory: false })),
  { kind: 'overlay', inMemory: true },
];

describe.each(places)('roots by $kind (in memory: $inMemory)', ({ kind, inMemory }) => {
  const lack = whatLacks({ kind, inMemory });
  describe.skipIf(lack !== undefined)(lack === undefined ? 'with mapped files' : `skipped: ${lack}`, () => {
    const stack = new AsyncDisposableStack();
    let lab: RootLab;
    beforeAll(async () => {
      const volume = kind === 'btrfs' ? stack.use(await openBtrfsVolume()).folder : undefined;
      lab = stack.use(await RootLab.open(kind, { ...programs, place: inMemory ? '/dev/shm' : volume }));
    });
    afterAll(() => stack.disposeAsync());

    test('H-4 H-6 X-5: what a program writes through a mapping that it keeps is found by each look', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      const path = join(made.path, 'mapped');
      writeFileSync(path, Buffer.alloc(300_000, '.'));
      linkSync(path, join(made.path, 'other name'));
      await made.root.collect(made.tree);
      await using mapped = openMapping(path);
      for (const [round, isPublished] of [false, true, false, true].entries()) {
        await mapped.ask(`10 round-${round}`);
        await mapped.ask(`${200_000 + round} x`);
        await whenOld(path);
        await made.root.collect(made.tree, { isPublished });
        expect(contentIn(made, 'mapped')).toEqual(readFileSync(path));
        expect(contentIn(made, 'other name')).toEqual(readFileSync(path));
        expect(await made.root.collect(made.tree)).toBe(0);
      }
    });

    test('H-4: what a program wrote through a mapping before it ended is found', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      const path = join(made.path, 'mapped');
      writeFileSync(path, Buffer.alloc(8_192, '.'));
      {
        await using mapped = openMapping(path);
        await mapped.ask('0 once');
        await whenOld(path);
        await made.root.collect(made.tree);
        await mapped.ask('0 more');
      }
      await made.root.collect(made.tree);
      expect(contentIn(made, 'mapped')).toEqual(readFileSync(path));
    });

    test('H-4 X-5: files that are written at random in every way are found as they are', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      await using writer = openLineProcess(writerCode, [join(made.path, 'written'), '1']);
      let isPublished = false;
      const capture = async () => {
        isPublished = !isPublished;
        await made.root.collect(made.tree, { isPublished });
        return made.tree;
      };
      const target = { ask: writer.ask, capture, path: 'written' };
      expect(await stressFiles(target, { rounds: 8, writesPerRound: 40 })).toEqual({ rounds: 8, wrong: [] });
    });

    test('H-3: what nothing maps is not written to disk for a look', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      writeFileSync(join(made.path, 'plain'), Buffer.alloc(300_000, '.'));
      let asked = 0;
      const mapsShared = async () => {
        asked += 1;
        return false;
      };
      await made.root.collect(made.tree, { mapsShared });
      expect(asked).toBe(inMemory ? 0 : 1);
      await whenOld(join(made.path, 'plain'));
      await made.root.collect(made.tree, { mapsShared });
      await made.root.collect(made.tree, { mapsShared });
      // Asked where a file has changed only, which counts once more just after it has.
      expect(asked).toBe(inMemory ? 0 : 2);
    });

    test('H-6: a look leaves the time at which a symbolic link was read', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      symlinkSync('nowhere', join(made.path, 'link'));
      const times = () => lstatSync(join(made.path, 'link'), { bigint: true });
      const { atimeNs, ctimeNs } = times();
      await whenOld(join(made.path, 'link'));
      await made.root.collect(made.tree);
      expect([times().atimeNs, times().ctimeNs]).toEqual([atimeNs, ctimeNs]);
    });
  });
});

/** Resolves when a change of the file has another time than the one that it has. */
async function whenOld(path: string): Promise<void> {
  const { ctimeMs } = lstatSync(path);
  await expect.poll(() => Date.now() - ctimeMs, { interval: 5 }).toBeGreaterThan(60);
}

function contentIn({ tree }: LabRoot, path: string): Buffer {
  const found = resolveBytes(tree, path, { followLast: false });
  if (typeof found === 'number') throw new Error(`${path} is not in the tree`);
  const bytes = Buffer.alloc(tree.stat(found.ino)?.sizeBytes ?? 0);
  tree.read(found.ino, 0, bytes);
  return bytes;
}

function whatLacks({ kind, inMemory }: Place): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  if (kind !== 'copy' && overlayFailure !== undefined) return `needs overlay mounts: ${overlayFailure}`;
  if (inMemory && statfsSync('/dev/shm').type !== tmpfsType) return 'needs a tmpfs at /dev/shm';
  return kind === 'btrfs' ? btrfsFailure : undefined;
}
