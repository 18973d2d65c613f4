import fc from 'fast-check';
import { gzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import type { SandboxError } from '../../protocol/errors.ts';
import type { CheckoutResult } from '../../protocol/sandbox/history.ts';
import { tarOf } from '../../test/fixtures/hostile-tars.ts';
import { describeTree } from '../../test/tree/describe-tree.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { noImageObjects } from '../image-objects.ts';
import { ObjectSource } from '../object-source.ts';
import { type ArchivedFiles, TarRestore } from './tar-restore.ts';

const head = 'f'.repeat(64) as ObjectId as SnapshotId;

/** A sandbox with a disk of `totalBytes`, and what it was made to go to. */
function setUp(totalBytes = 2 ** 30) {
  const store = new MemoryStore();
  const content = new ContentCache(new ObjectSource(store, noImageObjects), { budgetBytes: 0 });
  const tree = new LiveTree({ content, totalBytes, totalInodes: 100 });
  const arrived: ArchivedFiles[] = [];
  const restore = new TarRestore({
    store,
    image: noImageObjects,
    content,
    tree,
    serialize: (work) => work(),
  });
  const open = () =>
    restore.open(async (files): Promise<CheckoutResult> => {
      arrived.push(files);
      return { head, previousHead: head };
    });
  const send = async (...pieces: Uint8Array[]) => {
    const coming = await open();
    try {
      for (const piece of pieces) await coming.write(piece);
      return await coming.finish();
    } finally {
      await coming.close();
    }
  };
  const seen = () => arrived.map(({ snapshot }) => describeTree(LiveTree.from(snapshot, { content })));
  return { store, restore, open, send, arrived, seen };
}

const ordinary = tarOf(
  { type: 'directory', path: 'etc/', permissions: 0o755 },
  { path: 'etc/motd', content: 'hello', permissions: 0o640, uid: 7, gid: 8 },
  { type: 'hardLink', path: 'etc/again', linkPath: 'etc/motd' },
  { type: 'symlink', path: 'out', linkPath: '/etc' },
  { type: 'characterDevice', path: 'null', major: 1, minor: 3 },
);

describe('S-4 an archive of all files', () => {
  test.each([
    ['a tar', ordinary],
    ['a gzip', gzipSync(ordinary)],
  ])('comes in whole, with owners, modes, links and devices: %s', async (_, archive) => {
    const { send, seen } = setUp();
    expect(await send(archive.slice(0, 100), archive.slice(100))).toEqual({ head, previousHead: head });
    expect(seen()[0]?.map(({ path, mode, uid, nlink }) => [path, mode.toString(8), uid, nlink])).toEqual([
      ['', '40755', 0, 3],
      ['/etc', '40755', 0, 2],
      ['/etc/again', '100640', 7, 2],
      ['/etc/motd', '100640', 7, 2],
      ['/null', '20644', 0, 1],
      ['/out', '120777', 0, 1],
    ]);
  });

  test('a large one is not in memory, but stored as it comes', async () => {
    const { store, send, seen, arrived } = setUp();
    const bytes = new Uint8Array(40 * 2 ** 20);
    const numbers = new Uint32Array(bytes.buffer);
    for (let at = 0; at < numbers.length; at++) numbers[at] = at; // No two pieces are alike.
    const archive = tarOf({ path: 'large', content: bytes }, { path: 'small', content: 'x' });
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < archive.length; at += 2 ** 20) pieces.push(archive.slice(at, at + 2 ** 20));
    await send(...pieces);
    const objects = await store.sweep(new Set());
    expect(objects).toBeGreaterThan(30 * 2 ** 20);
    expect(arrived[0]?.previous).toBeDefined();
    expect(seen).toThrow(); // The store has been emptied: nothing of it is held elsewhere.
  });

  test.each([
    ['leads out', tarOf({ path: 'a/../../out', content: 'x' }), 'invalid-argument'],
    [
      'goes through a file',
      tarOf({ path: 'a', content: 'x' }, { path: 'a/b', content: 'x' }),
      'invalid-argument',
    ],
    ['links to nothing', tarOf({ type: 'hardLink', path: 'a', linkPath: 'gone' }), 'invalid-argument'],
    ['is cut', ordinary.slice(0, 1_000), 'invalid-argument'],
    ['is none', new TextEncoder().encode('no archive at all, but some text'.repeat(40)), 'invalid-argument'],
    ['is larger than the disk', tarOf({ path: 'a', content: 'x'.repeat(200_000) }), 'limit-exceeded'],
    [
      'has too many members',
      tarOf(...Array.from({ length: 101 }, (_, at) => ({ path: `f${at}` }))),
      'limit-exceeded',
    ],
  ])('that %s is refused, and nothing is gone to', async (_, archive, code) => {
    const { send, arrived } = setUp(100_000);
    await expect(send(archive)).rejects.toMatchObject({ code });
    expect(arrived).toEqual([]);
    // The next one comes in.
    await send(tarOf({ path: 'a' }));
    expect(arrived).toHaveLength(1);
  });

  test('that was altered anywhere comes in or is refused, and hangs or breaks nothing', async () => {
    const change = fc.record({ at: fc.nat(ordinary.length - 1), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (changes, zipped) => {
          const altered = zipped ? gzipSync(ordinary) : ordinary.slice();
          for (const { at, value } of changes) altered[at % altered.length] = value;
          const { send } = setUp();
          const code = await send(altered).then(
            () => 'taken',
            (error: SandboxError) => error.code,
          );
          expect(['taken', 'invalid-argument', 'limit-exceeded']).toContain(code);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('that is given up leaves nothing, and only one comes in at a time', async () => {
    const { open, restore, arrived } = setUp();
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: 'busy' });
    await first.write(ordinary.slice());
    await first.close();
    const second = await open();
    await restore.close();
    await expect(second.finish()).rejects.toMatchObject({ code: 'aborted' });
    expect(arrived).toEqual([]);
  });

  test('a link is followed inside of the archive only', async () => {
    const { send, seen } = setUp();
    await send(
      tarOf(
        { type: 'directory', path: 'inside/' },
        { type: 'symlink', path: 'link', linkPath: '/../../inside' },
        { path: 'link/file', content: 'x' },
      ),
    );
    expect(seen()[0]?.map(({ path }) => path)).toEqual(['', '/inside', '/inside/file', '/link']);
  });
});
