import {
  appendFileSync,
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { type RootKind, rootKinds } from '../../bridge-server/roots/open-root-maker.ts';
import { probeOverlay } from '../../bridge-server/roots/overlay/probe-overlay.ts';
import { abilitiesOf } from '../../bridge-server/roots/supported-metadata.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { resolveBytes } from '../../tree/live/resolve-path.ts';
import { openBtrfsVolume, whatBtrfsLacks } from '../fixtures/btrfs-volume.ts';
import { runsLong } from '../runs-long.ts';
import { openLineProgram } from '../soak/files/line-program.ts';
import { hostOfTests } from './host-of-tests.ts';
import { type LabRoot, RootLab } from './roots/root-lab.ts';
import { rootPrograms } from './roots/root-programs.ts';
import { startTree } from './roots/start-tree.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-probe-'));
const overlayFailure = await probeOverlay(folder, abilitiesOf(ownPrivileges()));
rmSync(folder, { recursive: true });
const btrfsFailure = await whatBtrfsLacks();
const programs = await rootPrograms;

/** More than is read while programs stand still. */
const largeBytes = limits.scanAheadBytes + 1_048_576;

// What differs between them is in the scanner's folder only.
const kinds = rootKinds.filter((kind) => kind === 'overlay' || runsLong);

describe.each(kinds)('roots by %s', (kind) => {
  const lack = whatLacks(kind);
  describe.skipIf(lack !== undefined)(lack === undefined ? 'with busy files' : `skipped: ${lack}`, () => {
    const stack = new AsyncDisposableStack();
    let lab: RootLab;
    beforeAll(async () => {
      const place = kind === 'btrfs' ? stack.use(await openBtrfsVolume()).folder : undefined;
      lab = stack.use(await RootLab.open(kind, { ...programs, place }));
    });
    afterAll(() => stack.disposeAsync());

    test('H-3 H-6: a large file that is written while it is read stays as it was, and is taken once it is quiet', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      const busy = join(made.path, 'busy');
      writeFileSync(busy, 'before');
      await made.root.collect(made.tree);
      writeFileSync(busy, Buffer.alloc(largeBytes, 'n'));
      writeFileSync(join(made.path, 'quiet'), Buffer.alloc(largeBytes, 'q'));
      writeFileSync(join(made.path, 'small'), 'new');
      const onRead = async () => appendFileSync(busy, 'more');
      await made.root.collect(made.tree, { leave: 'changing', onRead });
      expect(made.root.left).toEqual(['busy']);
      expect(text(made, 'busy')).toBe('before');
      expect([text(made, 'small'), bytesIn(made, 'quiet').length]).toEqual(['new', largeBytes]);
      // Nothing has happened since that its times would tell.
      await made.root.collect(made.tree, { leave: 'changing', onRead: async () => undefined });
      expect(made.root.left).toEqual([]);
      expect(bytesIn(made, 'busy').equals(readFileSync(busy))).toBe(true);
    });

    test('H-3: what is gone, replaced or moved while it is read is found as it is by the next look', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      const at = (...names: string[]) => join(made.path, ...names);
      for (const name of ['gone', 'replaced', 'moved'])
        writeFileSync(at(name), Buffer.alloc(largeBytes, name));
      const onRead = async () => {
        for (const name of ['gone', 'replaced']) rmSync(at(name));
        writeFileSync(at('replaced'), 'other');
        renameSync(at('moved'), at('there'));
      };
      await made.root.collect(made.tree, { leave: 'changing', onRead });
      expect([...made.root.left].sort()).toEqual(['gone', 'moved', 'replaced']);
      await made.root.collect(made.tree);
      expect(made.root.left).toEqual([]);
      expect(made.seal()).toBe(lab.seal(made.readAll()));
    });

    test('H-3: names that a file got while it was left are there once it is quiet', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      const at = (...names: string[]) => join(made.path, ...names);
      writeFileSync(at('busy'), Buffer.alloc(largeBytes, 'n'));
      linkSync(at('busy'), at('other name'));
      const onRead = async () => appendFileSync(at('busy'), 'more');
      await made.root.collect(made.tree, { leave: 'changing', onRead });
      expect([...made.root.left].sort()).toEqual(['busy', 'other name']);
      renameSync(at('other name'), at('third name'));
      await made.root.collect(made.tree);
      expect(made.seal()).toBe(lab.seal(made.readAll()));
    });

    test('H-3: who waits for what has ended does not wait for a large file that is open', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      const size = limits.scanSmallBytes + 1;
      const fd = openSync(join(made.path, 'open'), 'w');
      try {
        writeSync(fd, Buffer.alloc(size, 'o'));
        writeFileSync(join(made.path, 'closed'), Buffer.alloc(size, 'c'));
        await made.root.collect(made.tree, { leave: 'used', onRead: async () => undefined });
        expect(made.root.left).toEqual(['open']);
        expect(bytesIn(made, 'closed')).toHaveLength(size);
      } finally {
        closeSync(fd);
      }
      await made.root.collect(made.tree);
      expect(made.seal()).toBe(lab.seal(made.readAll()));
    });

    test('H-3: what is not read when somebody else asks is left to the next look', async () => {
      const id = lab.seal(startTree());
      await using made = await lab.make(id, id);
      for (const name of ['one', 'two']) writeFileSync(join(made.path, name), Buffer.alloc(largeBytes, name));
      const asked = new AbortController();
      const onRead = async () => asked.abort();
      await made.root.collect(made.tree, { leave: 'changing', onRead, signal: asked.signal });
      expect(made.root.left).toEqual(['one', 'two']);
      await made.root.collect(made.tree);
      expect(made.seal()).toBe(lab.seal(made.readAll()));
    });
  });
});

/** Writes over parts of a file of 48 MiB as fast as it can, a random page each time, until a line comes. */
const writer = `
import os, random, select, sys
file = os.open(os.path.expanduser("~/busy"), os.O_RDWR | os.O_CREAT)
os.write(file, b"." * (1 << 20))
size = 48 << 20
os.ftruncate(file, size)
for at in range(0, size, 1 << 20):
    os.pwrite(file, b"." * (1 << 20), at)
for line in sys.stdin:
    print(flush=True)
    while line == "go\\n" and not select.select([sys.stdin], [], [], 0)[0]:
        os.pwrite(file, os.urandom(8) * 1024, random.randrange(size // 8192) * 8192)
`;

const jailLack = await whatJailsLack();

describe.skipIf(jailLack)(`a busy sandbox${jailLack ? ` (not here: ${jailLack})` : ''}`, () => {
  const opened = hostOfTests();

  test('H-3 H-6 R-3: snapshots that nobody asked for say which file they have as it was; one that is asked for has it', async () => {
    await using sandbox = await Sandbox.create({ backend: opened.host.backend });
    await using program = await openLineProgram(sandbox, { code: writer });
    await program.ask('go');
    const without = Promise.withResolvers<SnapshotInfo>();
    const unsubscribe = await sandbox.subscribe((event) => {
      if (event.type === 'snapshot' && !event.snapshot.coverage.files.captured)
        without.resolve(event.snapshot);
    });
    const { files } = await sandbox.run('echo small > ~/small');
    expect(files.created).toEqual(['/home/user/small']);
    const left = await without.promise;
    unsubscribe();
    expect(left.coverage.files).toMatchObject({ why: expect.stringContaining('/home/user/busy') });
    await program.ask('stop');
    const asked = await sandbox.createSnapshot();
    expect(asked.coverage.files).toEqual({ captured: true });
    const digest = async () => (await sandbox.run('sha256sum < ~/busy')).stdout;
    const now = await digest();
    await sandbox.checkout(asked.id);
    expect(await digest()).toBe(now);
  });
});

function bytesIn({ tree }: LabRoot, path: string): Buffer {
  const found = resolveBytes(tree, path, { followLast: false });
  if (typeof found === 'number') throw new Error(`${path} is not in the tree`);
  const bytes = Buffer.alloc(tree.stat(found.ino)?.sizeBytes ?? 0);
  tree.read(found.ino, 0, bytes);
  return bytes;
}

function text(made: LabRoot, path: string): string {
  return bytesIn(made, path).toString();
}

function whatLacks(kind: RootKind): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  if (kind !== 'copy' && overlayFailure !== undefined) return `needs overlay mounts: ${overlayFailure}`;
  return kind === 'btrfs' ? btrfsFailure : undefined;
}
